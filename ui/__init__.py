"""What pages share: shell, state and links, text, charts, editors. Imports `attention`, never `pages`."""
