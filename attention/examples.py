"""Small made-up examples, each of which shows one thing. No trained model is behind any of them.

`get("cat")` is the four tokens of the article. Every call makes new arrays, so they may be changed freely.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from attention.checks import Array, InputError, Mask, whole_number

MOST_TOKENS, MOST_COLUMNS = 12, 16


@dataclass(frozen=True, eq=False)
class Example:
    """One set of tokens with its Q, K, V, where they come from (Q = X W_Q, and so on), and what it shows."""

    name: str
    title: Mapping[str, str]  # {"zh": …, "en": …}
    note: Mapping[str, str]  # {"zh": …, "en": …}: what it shows, and how its numbers were made
    tokens: tuple[str, ...]
    gloss: Mapping[str, tuple[str, ...]]  # {"en": …} or {"zh": …}: the tokens for readers of the other language
    X: Array  # (n, d_model)
    W_Q: Array  # (d_model, d_k)
    W_K: Array  # (d_model, d_k)
    W_V: Array  # (d_model, d_v)
    Q: Array  # (n, d_k)
    K: Array  # (n, d_k)
    V: Array  # (n, d_v)
    scale: str | float = "sqrt"
    mask: Mask | None = None
    features: Mapping[str, tuple[str, ...]] | None = None  # what the columns of Q, K and V stand for
    input_features: Mapping[str, tuple[str, ...]] | None = None  # what the columns of X stand for
    asks: int = 1  # the row of the token to look at first


#: The article's sentence in English, for readers of its tokens: rows made by hand, in the features of "cat".
TRANSLATION: Mapping[str, tuple[float, ...]] = {
    "the": (0, 0, 0, 1), "cat": (1, 0, 1, 0), "chases": (0, 1, 0, 0), "a": (0, 0, 0, 1), "mouse": (1, 0, -1, 0),
}  # fmt: skip


def names() -> tuple[str, ...]:
    """The names that `get` knows, "cat" first.

    >>> names()
    ('cat', 'cat_en', 'lookup', 'uniform', 'twins', 'self', 'saturated', 'random')
    """
    return tuple(BUILDERS)


def get(name: str, *, seed: int = 0) -> Example:
    """Make the example of that name; only "random" uses the seed.

    Raises: InputError if there is no such example, or if the seed is not a whole number from 0.

    >>> get("cat").tokens
    ('猫', '追', '老鼠', '的')
    """
    if name == "random":
        return random(seed=seed)
    if name not in BUILDERS:
        raise InputError("choice", "name", "one of " + ", ".join(map(repr, names())), repr(name))
    return BUILDERS[name]()


def random(n: int = 4, d_k: int = 4, d_v: int = 4, *, seed: int = 0) -> Example:
    """Draw Q, K and V from a standard normal distribution, rounded to two decimals.

    Raises: InputError unless n is a whole number up to 12, d_k and d_v up to 16, and the seed one from 0.

    >>> random(seed=7).Q[0]
    array([ 0.  ,  0.3 , -0.27, -0.89])
    """
    n = _size("n", n, MOST_TOKENS)
    d_k, d_v = _size("d_k", d_k, MOST_COLUMNS), _size("d_v", d_v, MOST_COLUMNS)
    seed = whole_number("seed", seed, least=0)
    draws = (np.random.default_rng([seed, i]).standard_normal((n, d)) for i, d in enumerate((d_k, d_k, d_v)))
    Q, K, V = (np.round(x, 2) + 0.0 for x in draws)  # + 0.0 turns −0 into 0
    return _example(
        "random",
        title={"zh": "随机数", "en": "Random numbers"},
        note={
            "zh": "Q、K、V 的每个数都独立抽自标准正态分布，保留两位小数；同一个种子总是得到同一组数。"
            "这些数没有含义，字只是标签。",
            "en": "Every number in Q, K and V is an independent draw from the standard normal "
            "distribution, rounded to two decimals; the same seed always gives the same numbers. "
            "They mean nothing, and the tokens are mere labels.",
        },
        tokens=tuple("甲乙丙丁戊己庚辛壬癸子丑"[:n]),
        gloss={"en": tuple("ABCDEFGHIJKL"[:n])},
        X=np.eye(n),
        W=(Q, K, V),
    )


def embedded(tokens: Sequence[str], d_model: int, known: Mapping[str, Sequence[float]] | None = None) -> Array:
    """Give each token a row of numbers: the one that is known, or one drawn for it, always the same for a token.

    known: token → its row; cut, or filled up with 0, to d_model numbers. What is drawn comes from the standard normal
        distribution, rounded to two decimals; the seed is the token's own spelling.
    Returns: (n, d_model).
    Raises: InputError unless there is a token, and d_model is a whole number up to 16.

    >>> embedded(("cat", "x", "cat"), 3, TRANSLATION)
    array([[ 1.  ,  0.  ,  1.  ],
           [-0.91, -0.43, -1.08],
           [ 1.  ,  0.  ,  1.  ]])
    """
    if not tokens:
        raise InputError("empty", "tokens", "at least one token", "none")
    rows = np.zeros((len(tokens), _size("d_model", d_model, MOST_COLUMNS)))
    for row, token in zip(rows, tokens, strict=True):
        own = (known or {}).get(token)
        numbers = _drawn(token) if own is None else np.asarray(own, dtype=np.float64)
        row[: len(numbers)] = numbers[: len(row)]
    return rows


def _drawn(token: str) -> Array:
    draw = np.random.default_rng(crc32(token.encode())).standard_normal(MOST_COLUMNS)
    return np.round(draw, 2) + 0.0  # + 0.0 turns −0 into 0


def _cat() -> Example:
    return _example(
        "cat",
        title={"zh": "猫追老鼠的", "en": "The cat chases the mouse"},
        note={
            "zh": "「追」的查询既找施事、又找受事，于是把 0.45 的权重给了猫，0.40 给了老鼠，"
            "自己留 0.10，「的」只得 0.05：新的「追」里有了主语，也有了宾语。"
            "这些数是手工编的，小到可以用笔验算，并非来自训练过的模型。",
            "en": "The query of 追 (chase) looks for a doer and for something done to, so it gives 0.45 of "
            "its weight to the cat, 0.40 to the mouse, 0.10 to itself and 0.05 to the particle: the "
            "new 追 holds its subject and its object. These numbers were made by hand, small enough "
            "to check with a pencil; no trained model is behind them.",
        },
        tokens=("猫", "追", "老鼠", "的"),
        gloss={"en": ("cat", "chase", "mouse", "(particle)")},
        X=[[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, -1, 0], [0, 0, 0, 1]],
        W=(
            [[1.25, 2, 1.25, 0.25], [2, 1, 1.5, 0], [1.25, 0, -1.25, -0.25], [0, 0, 1.5, 1]],
            [[1.25, 0, 1.25, 0], [0, 1.5, 0, 0], [0.25, 0, -0.25, 0], [0, 0, 0, 2]],
            [[1.25, 0, 1.25, 0], [0, 2, 0, 0.5], [0.75, 0, -0.75, 0], [0, 0.5, 0, 1]],
        ),
        features={
            "zh": ("施事", "动作", "受事", "虚词"),
            "en": ("doer", "action", "done to", "function word"),
        },
        input_features={
            "zh": ("动物", "动词", "猎手（＋）或猎物（−）", "虚词"),
            "en": ("animal", "verb", "hunter (+) or prey (−)", "function word"),
        },
    )


def _cat_en() -> Example:
    """The rows of "cat" in the order of an English sentence, its function word first."""
    cat, order = _cat(), [3, 0, 1, 2]
    return _example(
        "cat_en",
        title={"zh": "猫追老鼠（英文词元）", "en": "The cat chases mice (in English)"},
        note={
            "zh": "「猫追老鼠的」那组数，配上英文的词，虚词（the）排到最前面。注意力不看顺序，"
            "权重一个也没变：「chases」给「cat」0.45，给「mice」0.40，自己留 0.10，「the」只得 0.05。"
            "这些数是手工编的，并非来自训练过的模型。",
            "en": "The query of “chases” looks for a doer and for something done to, so it gives 0.45 of its weight "
            "to the cat, 0.40 to the mice, 0.10 to itself and 0.05 to “the”: the new “chases” holds its subject and "
            "its object. The numbers are those of the Chinese example, in another order, which attention does not "
            "notice; “the” has those of its particle. They were made by hand, small enough to check with a pencil; "
            "no trained model is behind them.",
        },
        tokens=("the", "cat", "chases", "mice"),
        gloss={"zh": ("虚词", "猫", "追", "老鼠")},
        X=cat.X[order],
        W=(cat.W_Q, cat.W_K, cat.W_V),
        features=cat.features,
        input_features=cat.input_features,
        asks=2,
    )


def _lookup() -> Example:
    return _example(
        "lookup",
        title={"zh": "查字典", "en": "A dictionary look-up"},
        note={
            "zh": "四个键两两正交，查询又很长，softmax 几乎只认得分最高的那个键："
            "每一行恰好取回一类书的位置（架号和层号）。「诗」这一行查的是「史」，「史」查「算」，"
            "依此类推。这些数是手工编的。",
            "en": "The four keys are orthogonal and the queries long, so softmax all but picks the best "
            "match: each row fetches the place (shelf and level) of exactly one kind of book. The "
            "row of poetry asks for history, that of history for arithmetic, and so on. The numbers "
            "were made by hand.",
        },
        tokens=("诗", "史", "算", "乐"),
        gloss={"en": ("poetry", "history", "arithmetic", "music")},
        X=np.eye(4),
        W=(10 * np.roll(np.eye(4), 1, axis=1), 4 * np.eye(4), [[3, 1], [5, 2], [8, 3], [2, 4]]),
    )


def _uniform() -> Example:
    return _example(
        "uniform",
        title={"zh": "人人平均", "en": "Plain averaging"},
        note={
            "zh": "四个键一模一样，查询再不同也分不出高下：权重全是 0.25，"
            "每行输出都是值的平均（气温 15 度，白昼 12 小时）。这些数是手工编的。",
            "en": "The four keys are equal, so no query can tell them apart: every weight is 0.25, and "
            "every output is the mean of the values (15 degrees, 12 hours of daylight). The numbers "
            "were made by hand.",
        },
        tokens=("春", "夏", "秋", "冬"),
        gloss={"en": ("spring", "summer", "autumn", "winter")},
        X=np.eye(4),
        W=(
            [[1, 0, 2], [0.5, -1, 0], [-2, 1.5, 1], [0, 3, -0.5]],
            [[1, 0.5, -1]] * 4,
            [[15, 12], [28, 14], [17, 12], [0, 10]],
        ),
    )


def _twins() -> Example:
    return _example(
        "twins",
        title={"zh": "两只分不开的狗", "en": "Two dogs that look alike"},
        note={
            "zh": "两个「狗」的输入相同，键也就相同，每一行给它们的权重必然相等，它们自己的输出也一样。"
            "谁追谁？没有位置编码，注意力看不出来。这些数是手工编的。",
            "en": "Both 狗 (dog) have the same input, hence the same key: every row gives them equal "
            "weights, and their outputs are equal too. Who chases whom? Without positional encoding "
            "attention cannot tell. The numbers were made by hand.",
        },
        tokens=("狗", "追", "狗"),
        gloss={"en": ("dog", "chase", "dog")},
        X=[[1, 0], [0, 1], [1, 0]],
        W=([[0.5, 2], [3, 0.5]], [[1.5, 0.5], [0, 2]], [[4, 0, 1], [0, 3, 1]]),
    )


def _self() -> Example:
    W = [[2, 1, 0], [0, 2, 1], [1, 0, 2], [2, -1, 0], [0, -2, 1]]
    return _example(
        "self",
        title={"zh": "最像自己", "en": "Most like itself"},
        note={
            "zh": "W_Q 和 W_K 用同一个矩阵，所以 Q = K，得分矩阵是对称的；各行又一样长，"
            "于是每个词都和自己最匹配，对角线上的权重最大。要让词主要去看别的词，"
            "W_Q 和 W_K 最好不同。这些数是手工编的。",
            "en": "W_Q and W_K are the same matrix, so Q = K and the scores are symmetric; as all rows are "
            "equally long, each token matches itself best, and the diagonal has the largest weights. "
            "For tokens to look mainly at others, W_Q and W_K should differ. The numbers were "
            "made by hand.",
        },
        tokens=("我", "喜欢", "喝", "绿", "茶"),
        gloss={"en": ("I", "like", "drink", "green", "tea")},
        X=np.eye(5),
        W=(W, W, [[3, 0], [0, 2], [1, 1], [-1, 2], [0, -3]]),
    )


def _saturated() -> Example:
    queries = """
        +-----+-+----+-+
        +++-+-+++-+-+--+
        ---++++++-+---+-
        ----++--+++-+-+-
        +++++++-+---+++-
        +--+-++--+-+---+
    """
    keys = """
        +-+-----+++-----
        +++++++++-----+-
        +++-+-+++-++--+-
        +-++++----++-+--
        --+++++--+++-+-+
        +++-++-----+++--
    """
    return _example(
        "saturated",
        title={"zh": "饱和", "en": "Saturation"},
        note={
            "zh": "查询和键的分量都是 ±1，d_k = 16，得分的标准差约为 √16 = 4。"
            "不缩放时，每一行的最大权重都在 0.97 以上，其余几乎为 0；改成 ÷√d_k，最大权重就降到 0.6 以下。"
            "正负号是从许多随机抽取中挑选出来的，并非来自训练过的模型。",
            "en": "The components of queries and keys are ±1 and d_k = 16, so the scores have a standard "
            "deviation of about √16 = 4. Without scaling the largest weight of every row is above "
            "0.97, the rest nearly 0; with ÷√d_k it falls below 0.6. The signs were selected "
            "from many random draws; no trained model is behind them.",
        },
        tokens=("天", "地", "玄", "黄", "宇", "宙"),
        gloss={"en": ("sky", "earth", "dark", "yellow", "space", "time")},
        X=np.eye(6),
        W=(_signs(queries), _signs(keys), [[2, 0], [0, 2], [1, 1], [-1, 1], [-2, 0], [0, -2]]),
        scale="none",
    )


BUILDERS: dict[str, Callable[[], Example]] = {
    "cat": _cat,
    "cat_en": _cat_en,
    "lookup": _lookup,
    "uniform": _uniform,
    "twins": _twins,
    "self": _self,
    "saturated": _saturated,
    "random": random,
}


def _example(
    name: str,
    *,
    title: Mapping[str, str],
    note: Mapping[str, str],
    tokens: tuple[str, ...],
    gloss: Mapping[str, tuple[str, ...]],
    X: object,
    W: tuple[object, object, object],
    scale: str | float = "sqrt",
    features: Mapping[str, tuple[str, ...]] | None = None,
    input_features: Mapping[str, tuple[str, ...]] | None = None,
    asks: int = 1,
) -> Example:
    rows, W_Q, W_K, W_V = (np.array(each, dtype=np.float64) for each in (X, *W))
    return Example(
        name, title, note, tokens, gloss,
        rows, W_Q, W_K, W_V, Q=rows @ W_Q, K=rows @ W_K, V=rows @ W_V,
        scale=scale, features=features, input_features=input_features, asks=asks,
    )  # fmt: skip


def _signs(rows: str) -> list[list[int]]:
    return [[1 if sign == "+" else -1 for sign in row] for row in rows.split()]


def _size(name: str, x: int, most: int) -> int:
    if whole_number(name, x) > most:
        raise InputError("whole_number", name, f"a whole number from 1 to {most}", x)
    return int(x)
