"""Values of expressions that are known before any game is played."""

from collections.abc import Mapping

from cardenvs.recycle.language import syntax
from cardenvs.recycle.language.errors import Position, RecycleError

LEAST, MOST = -(2**63), 2**63 - 1  # the numbers that a game can hold

LONGEST_RANGE = 10_000  # the longest range that a declaration may have
MOST_STEPS = 300_000  # the most steps that are made for a game's constants, all together


class Budget:
    """The steps that may still be made."""

    def __init__(self) -> None:
        self.left = MOST_STEPS

    def spend(self, at: Position, steps: int = 1) -> None:
        """Takes steps off the budget; a RecycleError if there are not enough."""
        self.left -= steps
        if self.left < 0:
            raise RecycleError(f"what is the same in every game takes more than {MOST_STEPS} steps to work out", at)


def constant_value(
    expression: syntax.Expression, values: Mapping[int, syntax.Constant], budget: Budget
) -> syntax.Constant | None:
    """Returns the value of an expression that is the same in every game, else None; ``values`` are those of bindings.

    Raises:
        RecycleError: division by 0, a number or range too great, or no budget left.
    """
    budget.spend(expression.at)
    match expression:
        case syntax.Number(_, value):
            return value
        case syntax.Name(_, text):
            return text
        case syntax.NameList(_, names):
            return names
        case syntax.Variable(_, binding):
            return values.get(binding.number)
        case syntax.Arithmetic(at, operator, left, right):
            a, b = constant_value(left, values, budget), constant_value(right, values, budget)
            return arithmetic(operator, a, b, at) if isinstance(a, int) and isinstance(b, int) else None
        case syntax.Triangular(at, number):
            n = constant_value(number, values, budget)
            return in_bounds(n * (n + 1) // 2, at) if isinstance(n, int) else None
        case syntax.Fibonacci(at, number):
            n = constant_value(number, values, budget)
            return fibonacci(n, at) if isinstance(n, int) else None
        case syntax.Range(at, low, high):
            a, b = constant_value(low, values, budget), constant_value(high, values, budget)
            if not isinstance(a, int) or not isinstance(b, int):
                return None
            if b - a >= LONGEST_RANGE:
                raise RecycleError(f"this range has {b - a + 1} numbers: at most {LONGEST_RANGE} are allowed", at)
            budget.spend(at, max(b - a, 0))
            return tuple(range(a, b + 1))
        case syntax.Filter(_, over, variable, condition):
            items = constant_value(over, values, budget)
            if not isinstance(items, tuple):
                return None
            inner = dict(values)
            kept = []
            for item in items:
                inner[variable.number] = item
                kept.append(constant_value(condition, inner, budget))
            if None in kept:
                return None
            return tuple(item for item, truth in zip(items, kept, strict=True) if truth)  # type: ignore[return-value]
        case syntax.Quantified(_, quantifier, over, variable, condition):
            items = constant_value(over, values, budget)
            if not isinstance(items, tuple):
                return None
            inner = dict(values)
            for item in items:
                inner[variable.number] = item
                truth = constant_value(condition, inner, budget)
                if truth is None or bool(truth) is (quantifier == "any"):
                    return truth
            return quantifier == "all"
        case syntax.Size(_, of):
            collection = constant_value(of, values, budget)
            return len(collection) if isinstance(collection, tuple) else None
        case syntax.Not(_, operand):
            truth = constant_value(operand, values, budget)
            return None if truth is None else not truth
        case syntax.Logic(_, operator, operands):
            for operand in operands:
                truth = constant_value(operand, values, budget)
                if truth is None or bool(truth) is (operator == "or"):
                    return truth
            return operator == "and"
        case syntax.Comparison(_, operator, left, right):
            return compare_values(operator, constant_value(left, values, budget), constant_value(right, values, budget))
    return None


def compare_values(operator: str, a: syntax.Constant | None, b: syntax.Constant | None) -> bool | None:
    if a is None or b is None:
        return None
    if operator in ("==", "!="):
        return (a == b) is (operator == "==")
    assert isinstance(a, int) and isinstance(b, int)
    return {"<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[operator]


def arithmetic(operator: str, a: int, b: int, at: Position) -> int:
    """Returns ``a OPERATOR b``; ``//`` rounds to 0, ``%`` has the sign of ``a``. A RecycleError without a 64-bit result."""
    if operator == "+":
        return in_bounds(a + b, at)
    if operator == "-":
        return in_bounds(a - b, at)
    if operator == "*":
        return in_bounds(a * b, at)
    if operator == "^":
        if b < 0:
            raise RecycleError(f"{a} to the power of {b}: powers start at 0", at)
        if b > 63 and a not in (-1, 0, 1):
            raise RecycleError(f"{a} to the power of {b} is too great: numbers have 64 bits", at)
        return in_bounds(a ** (b if b <= 63 else 2 + b % 2), at)
    if b == 0:
        raise RecycleError(f"({operator} {a} 0) divides by 0", at)
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return in_bounds(quotient if operator == "//" else a - quotient * b, at)


def fibonacci(n: int, at: Position) -> int:
    """Returns the n-th Fibonacci number; a RecycleError unless 0 <= n <= 92."""
    if not 0 <= n <= 92:
        raise RecycleError(f"fib takes a number from 0 to 92, not {n}", at)
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def in_bounds(value: int, at: Position) -> int:
    """Returns the value; a RecycleError if it exceeds 64 bits."""
    if not LEAST <= value <= MOST:
        raise RecycleError("the result is too great: numbers have 64 bits", at)
    return value
