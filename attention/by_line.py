"""Run a function statement by statement, from its own source: what is shown is what is run.

There is no second copy of the function. Its source is read from the running module, and each statement of it is
compiled and executed in that module's own names, as Python itself would.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType
from typing import Any

Function = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Ran:
    """One statement that was run. Lines are counted from 0, the line of `def`, which binds the arguments."""

    line: int
    last: int
    source: str  # as Python reads it: one line, no comment
    sets: Mapping[str, Any]  # the names it gave a value, and the values
    known: Mapping[str, Any]  # every name the function knows after it
    reads: Mapping[str, Any] = field(default_factory=dict)  # those it looked at, as they were before
    value: Any = None  # what a condition came to, or what was returned
    calls: Mapping[str, tuple[tuple[Any, ...], dict[str, Any]]] = field(default_factory=dict)
    # functions called by their plain name, and what they were called with


@dataclass(frozen=True, eq=False)
class Run:
    """A whole run: the statements in the order in which they ran, and how it ended."""

    function: Function
    ran: tuple[Ran, ...]
    result: Any = None
    error: Exception | None = None  # what the statement after the last one of `ran` raised
    error_line: int = -1


def run(function: Function, *args: Any, **kwargs: Any) -> Run:
    """Run a function's own statements one after another, and keep what each of them did.

    Handles what `attention` and `softmax` are made of: assignments, `if`, `with`, expressions and `return`.

    function: a plain Python function whose source can be read. args, kwargs: what it is called with.
    Returns: Run. An exception of the function ends the run and is kept in it.
    Raises: TypeError if the arguments do not fit, NotImplementedError if the function has other statements.

    >>> from attention.softmax import softmax
    >>> for each in run(softmax, [0.0, 0.0]).ran[-2:]:
    ...     print(each.source, "→", *each.sets.values(), each.value)
    total = powers.sum(axis=axis, keepdims=True) → [2.] None
    return powers / total → [0.5 0.5]
    """
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    known = dict(bound.arguments)
    steps = [Ran(0, _last_of_head(function), f"def {function.__name__}", dict(known), dict(known))]
    runner = _Runner(function, known, steps)
    try:
        runner.block(_body(function))
    except NotImplementedError:
        raise
    except Exception as error:  # whatever the function raises is what there is to show
        return Run(function, tuple(steps), error=error, error_line=runner.at)
    return Run(function, tuple(steps), result=runner.result)


@dataclass
class _Runner:
    function: Function
    known: dict[str, Any]
    steps: list[Ran]
    result: Any = None
    done: bool = False
    at: int = 0

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if not self.done:
                self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        self.at = node.lineno - 1
        if isinstance(node, ast.Return):
            reads, calls = self.reads(node), self.calls(node)
            self.result, self.done = self.value(node.value), True
            self.keep(node, value=self.result, reads=reads, calls=calls)
        elif isinstance(node, ast.If):
            holds = bool(self.value(node.test))
            self.keep(node, value=holds, reads=self.reads(node.test))
            self.block(node.body if holds else node.orelse)
        elif isinstance(node, ast.With):
            [item] = node.items
            with self.value(item.context_expr):
                self.keep(node)
                self.block(node.body)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr):
            reads, calls = self.reads(node), self.calls(node)
            exec(_statement(node), self.function.__globals__, self.known)
            names = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)
                     and isinstance(each.ctx, ast.Store)]  # fmt: skip
            self.keep(node, sets={name: self.known[name] for name in names}, reads=reads, calls=calls)
        else:
            raise NotImplementedError(f"{type(node).__name__} in {self.function.__name__}")

    def keep(self, node: ast.stmt, **what: Any) -> None:
        last = (node.body[0].lineno - 1 if isinstance(node, ast.If | ast.With) else node.end_lineno or node.lineno) - 1
        self.steps.append(Ran(node.lineno - 1, last, _text(node), what.pop("sets", {}), dict(self.known), **what))

    def value(self, node: ast.expr | None) -> Any:
        if node is None:
            return None
        return eval(_expression(node), self.function.__globals__, self.known)

    def reads(self, node: ast.AST) -> dict[str, Any]:
        """The function's own names in a statement, in their order, and what they stand for so far."""
        names = [each for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]
        names.sort(key=lambda name: (name.lineno, name.col_offset))
        return {each.id: self.known[each.id] for each in names if each.id in self.known}

    def calls(self, node: ast.stmt) -> dict[str, Any]:
        """The plain calls of a statement with what they are about to get."""
        return {
            call.func.id: (tuple(map(self.value, call.args)), {k.arg: self.value(k.value) for k in call.keywords})
            for call in ast.walk(node)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        }


def source(function: Function) -> str:
    """Read a function's source from the running module, not indented.

    >>> def half(x):
    ...     return x / 2
    >>> print(source(source).splitlines()[0])
    def source(function: Function) -> str:
    """
    return _source(function)


def listing(function: Function) -> dict[int, str]:
    """Number the lines of a function's source from 0, without its docstring.

    >>> list(listing(listing).values())[0]
    'def listing(function: Function) -> dict[int, str]:'
    """
    hidden: range | tuple[()] = ()
    first = _tree(function).body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        hidden = range(first.lineno - 1, first.end_lineno or first.lineno)
    return {i: line for i, line in enumerate(_source(function).splitlines()) if i not in hidden}


def bare(function: Function, *, without: Callable[[str], bool] = lambda called: False) -> str:
    """Write a function's source down to what it computes: no docstring, no types, no comments.

    without: told the name of a function; statements that call such a one and nothing else are left out.

    >>> from attention.softmax import softmax
    >>> print(bare(softmax, without=lambda called: called == "scores_array"))
    def softmax(x, axis=-1):
        with np.errstate(invalid='ignore', over='ignore'):
            powers = np.exp(x - x.max(axis=axis, keepdims=True))
        total = powers.sum(axis=axis, keepdims=True)
        return powers / total
    """
    tree = _parsed(_source(function))
    tree.returns = None
    for argument in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs):
        argument.annotation = None
    tree.body = [each for each in _without_docstring(tree.body) if not without(_called(each))]
    return ast.unparse(ast.fix_missing_locations(_Bare().visit(tree)))


class _Bare(ast.NodeTransformer):
    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        return _bare(node)


def _called(node: ast.stmt) -> str:
    """The function that an assignment's whole right side calls by its plain name."""
    value = node.value if isinstance(node, ast.Assign) else None
    return value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""


def _bare(node: ast.stmt) -> ast.stmt:
    """An assignment without its type: in a function it is never evaluated either."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return ast.copy_location(ast.Assign([node.target], node.value), node)
    return node


# A function's tree is read once, so its nodes are the same at each run, and are compiled once.


@lru_cache(maxsize=512)
def _statement(node: ast.stmt) -> CodeType:
    return compile(ast.Module([ast.fix_missing_locations(_bare(node))], []), "<line>", "exec")


@lru_cache(maxsize=512)
def _expression(node: ast.expr) -> CodeType:
    return compile(ast.Expression(node), "<line>", "eval")


@lru_cache(maxsize=512)
def _text(node: ast.stmt) -> str:
    return ast.unparse(_bare(node)).splitlines()[0]


def _body(function: Function) -> list[ast.stmt]:
    return _without_docstring(_tree(function).body)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return body[1:] if documented else body


def _last_of_head(function: Function) -> int:
    return _tree(function).body[0].lineno - 2


@lru_cache(maxsize=64)
def _source(function: Function) -> str:
    return textwrap.dedent(inspect.getsource(function)).rstrip("\n")


@lru_cache(maxsize=64)
def _tree(function: Function) -> ast.FunctionDef:
    return _parsed(_source(function))


def _parsed(source: str) -> ast.FunctionDef:
    [tree] = ast.parse(source).body
    assert isinstance(tree, ast.FunctionDef)
    return tree
