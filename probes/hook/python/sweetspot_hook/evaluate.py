"""What expressions come to, by an evaluator of our own: it calls nothing of the program and reads only plain values."""

import ast
import math
import operator

# Exactly these: a class made of one is the program's code.
PLAIN = (bool, int, float, str, type(None), list, tuple, dict, range)
MOST = 1e12  # of numbers: powers of large ones take for ever
MOST_ENTRIES = 10000  # of a list or a dictionary


class Unknown(Exception):
    """It is not decidable."""


OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.In: lambda a, b: a in entries(b), ast.NotIn: lambda a, b: a not in entries(b),
    ast.Is: operator.is_, ast.IsNot: operator.is_not,
}
FUNCTIONS = {"min": min, "max": max, "int": int, "float": float, "round": round, "abs": abs, "len": len, "range": range}
OF_MATH = {"ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt, "cos": math.cos, "log2": math.log2}


def value(node, get):
    """The value of an expression; raises Unknown.

    get gives the value of a name or an attribute, or of a call that is none of these.
    """
    try:
        return plain(_value(node, get))
    except Unknown:
        raise
    except (ArithmeticError, TypeError, ValueError, LookupError, RecursionError) as err:
        raise Unknown from err


def plain(found):
    """The value, if it is a plain one."""
    if type(found) not in PLAIN or type(found) in (int, float) and not abs(found) < MOST:
        raise Unknown
    return found


def entries(found):
    """The entries of a list, tuple or dictionary of numbers or texts: others may compare by the program's code."""
    if type(found) is range:
        return found
    if (
        type(found) not in (list, tuple, dict) or len(found) > MOST_ENTRIES
        or any(type(x) not in (bool, int, float, str) for x in found)
    ):
        raise Unknown
    return found


def _value(node, get):
    def of(child):
        return value(child, get)

    def number(child):
        found = of(child)
        if type(found) not in (bool, int, float):
            raise Unknown
        return found

    kind = type(node)
    if kind is ast.Constant:
        return node.value
    if kind in (ast.Name, ast.Attribute):
        return get(node)
    if kind in (ast.List, ast.Tuple):
        return [of(e) for e in node.elts]
    if kind is ast.Dict:
        return {of(k): of(v) for k, v in zip(node.keys, node.values)}
    if kind is ast.IfExp:
        return of(node.body if of(node.test) else node.orelse)
    if kind is ast.UnaryOp:
        return operator_of(node)(of(node.operand) if type(node.op) is ast.Not else number(node.operand))
    if kind is ast.BinOp:
        a, b = number(node.left), number(node.right)
        if type(node.op) is ast.Pow and not abs(b) <= 64:
            raise Unknown
        return operator_of(node)(a, b)
    if kind is ast.BoolOp:
        found = None
        for part in node.values:
            found = of(part)
            if bool(found) is (type(node.op) is ast.Or):
                break
        return found
    if kind is ast.Compare:
        terms = [of(term) for term in [node.left, *node.comparators]]
        return all(_compare(op, a, b) for op, a, b in zip(node.ops, terms, terms[1:]))
    if kind is ast.Subscript:
        try:
            found = get(node)  # of an array's shape, or of settings
        except Unknown:
            found = None
        if found is not None:
            return found
        held, key = of(node.value), of(node.slice)
        return (entries(held) if type(held) is dict else held)[key]
    if kind is ast.Call and not node.keywords:
        function = _function(node.func)
        if function in (None, len):  # of a data set, too
            return get(node)
        return function(*[a if type(a) not in (list, tuple, dict) else entries(a) for a in map(of, node.args)])
    raise Unknown


def _compare(op, a, b):
    if not isinstance(op, (ast.In, ast.NotIn)) and any(type(x) in (list, tuple, dict) for x in (a, b)):
        raise Unknown
    return OPERATORS[type(op)](a, b)


def operator_of(node):
    found = OPERATORS.get(type(node.op))
    if found is None:
        raise Unknown
    return found


def _function(node):
    """That of the functions of numbers which is called; None for any other."""
    if isinstance(node, ast.Name):
        return FUNCTIONS.get(node.id) or OF_MATH.get(node.id)
    return (
        OF_MATH.get(node.attr) if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "math" else None
    )
