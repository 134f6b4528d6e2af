"""The part of the safe interpreter that compiles comprehensions and generator expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from .frame import Code, Frame, Run, Unsupported, bind, target_names
from .guards import FUNCTIONS, hashable


class Comprehensions:
    """What ``Compiler`` inherits.

    Attributes:
        locals: Names that comprehensions around the present expression bind.
        varying: Codes made so far that depend on a result.
    """

    locals: tuple[str, ...]
    varying: int

    def compile(self, node: ast.expr) -> Code:
        """The code of an expression."""
        raise NotImplementedError

    def _all(self, nodes: list[ast.expr]) -> tuple[list[Run], bool]:
        raise NotImplementedError

    def _listcomp(self, node: ast.ListComp) -> Code:
        items, fixed = self._comprehension(node.generators, node.elt)
        return Code(lambda frame: list(items(frame)), fixed)

    def _setcomp(self, node: ast.SetComp) -> Code:
        items, fixed = self._comprehension(node.generators, node.elt)
        return Code(lambda frame: set(hashable(items(frame))), fixed)

    def _generatorexp(self, node: ast.GeneratorExp) -> Code:
        return Code(*self._comprehension(node.generators, node.elt))

    def _dictcomp(self, node: ast.DictComp) -> Code:
        pair = ast.Tuple([node.key, node.value], ast.Load())
        items, fixed = self._comprehension(node.generators, pair)
        return Code(lambda frame: FUNCTIONS["dict"](items(frame)), fixed)

    def _comprehension(
        self, generators: list[ast.comprehension], element: ast.expr
    ) -> tuple[Callable[[Frame], Iterator[Any]], bool]:
        outer, varying = self.locals, self.varying
        loops: list[tuple[ast.expr, Run, list[Run]]] = []
        try:
            for generator in generators:
                if generator.is_async:
                    raise Unsupported("async is not evaluated")
                source = self.compile(generator.iter).run
                self.locals += target_names(generator.target)
                loops.append((generator.target, source, self._all(generator.ifs)[0]))
            run = self.compile(element).run
        finally:
            self.locals = outer

        def items(frame: Frame, depth: int = 0) -> Iterator[Any]:
            target, source, conditions = loops[depth]
            for value in source(frame):
                frame.spend(1)
                bind(target, value, frame.names)
                if all(condition(frame) for condition in conditions):
                    if depth + 1 < len(loops):
                        yield from items(frame, depth + 1)
                    else:
                        yield run(frame)

        return lambda frame: items(frame.inner()), not outer and varying == self.varying
