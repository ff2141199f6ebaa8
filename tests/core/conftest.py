from hypothesis import settings

settings.register_profile("core", derandomize=True, deadline=None, max_examples=60, database=None)
settings.load_profile("core")
