# SPDX-License-Identifier: Apache-2.0
"""The names of datasets: text or integers, one per dataset, distinct, read-only.

Graphs work on numbers; names are looked at when a graph is made and when an answer or an error is shown. The
names of rows of integers, like ``500/200/244``, are made when they are asked for: such a name says which
dataset it names, so 10^8 of them need neither an array nor an index.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, overload, runtime_checkable
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rainbowdp.errors import DuplicateDatasetError, GraphShapeError, UnknownDatasetError, did_you_mean
from rainbowdp.exact import format_fraction
from rainbowdp.exact.arguments import is_whole, items_of, kind_of
from rainbowdp.graph.arrays import first_outside, frozen, require_dataset, require_one_each

_BLOCK = 1 << 20
_ROW = re.compile(r"(0|-?[1-9][0-9]{0,18})(/(0|-?[1-9][0-9]{0,18}))*", re.ASCII)
_MOST_HINTS = 2000
_LARGEST_TEXT_BYTES = 1 << 30


@runtime_checkable
class Rows(Protocol):
    """One row of integers per dataset, in lexicographic order."""

    @property
    def size(self) -> int:
        """Number of datasets."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of every row."""
        ...

    def rows_of(self, datasets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of some datasets, int64 [m, dimensions]."""
        ...

    def number_of(self, row: list[int]) -> int | None:
        """Return the dataset with this row, or None."""
        ...


class RowLabels:
    """The names of all datasets of a family; behaves like a read-only array of text.

    Parameters
    ----------
    rows : Rows
        The rows to name.

    Examples
    --------
    >>> from rainbowdp.graph.product import ProductGraph
    >>> labels = RowLabels(ProductGraph((10,) * 8, ("complete",) * 8))
    >>> len(labels), labels[-1], labels.number_of("0/0/0/0/0/0/1/2")
    (100000000, '9/9/9/9/9/9/9/9', 12)
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return self._rows.size

    @property
    def size(self) -> int:
        """Number of names."""
        return self._rows.size

    @overload
    def __getitem__(self, which: int | np.integer[Any]) -> str: ...
    @overload
    def __getitem__(self, which: slice | NDArray[Any]) -> NDArray[np.str_]: ...
    def __getitem__(self, which: int | np.integer[Any] | slice | NDArray[Any]) -> str | NDArray[np.str_]:
        if isinstance(which, slice):
            return row_texts(self._rows.rows_of(np.arange(*which.indices(self.size), dtype=np.int64)))
        if not isinstance(which, np.ndarray):
            return row_text(self._rows.rows_of(np.array([range(self.size)[which]]))[0].tolist())
        places = np.flatnonzero(which) if which.dtype == np.bool_ else which.astype(np.int64)
        places = np.where(places < 0, places + self.size, places)
        if first_outside(places, self.size) is not None:
            raise IndexError(f"there are {self.size} names, and one beyond these is asked for")
        return row_texts(self._rows.rows_of(places))

    def __iter__(self) -> Iterator[str]:
        start, count = 0, 32
        while start < self.size:
            yield from self[start : start + count].tolist()
            start, count = start + count, min(2 * count, _BLOCK)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("names of rows have to be made, so they cannot be had without a copy")
        texts = self[:]
        return texts if dtype is None else texts.astype(dtype)

    def astype(self, dtype: DTypeLike) -> NDArray[Any]:
        """Return all names as an array."""
        return self.__array__(dtype)

    def tolist(self) -> list[str]:
        """Return all names as a list."""
        return list(self)

    def number_of(self, label: str) -> int | None:
        """Return the dataset with this name, or None."""
        return self._rows.number_of(list(map(int, label.split("/")))) if _ROW.fullmatch(label) else None

    def __eq__(self, other: object) -> bool:
        return self._rows == other._rows if isinstance(other, RowLabels) else NotImplemented

    def __hash__(self) -> int:
        return hash((RowLabels, self._rows.size))

    def __repr__(self) -> str:
        return f"RowLabels({self.size} names, {self[0]} to {self[-1]})"


def row_text(row: list[int]) -> str:
    """Return the name of one row.

    Examples
    --------
    >>> row_text([500, 200, 244])
    '500/200/244'
    """
    return "/".join(map(str, row))


def row_texts(rows: NDArray[np.int64]) -> NDArray[np.str_]:
    """Return the names of many rows, read-only.

    Examples
    --------
    >>> row_texts(np.array([[0, 12], [3, 4]])).tolist()
    ['0/12', '3/4']
    """
    return frozen(np.array(list(map(row_text, rows.tolist())), dtype=np.str_))


LabelArray = NDArray[Any] | RowLabels
"""Dataset labels as they are held: an array of text or int64, or names that are made when asked for."""

Labels = Sequence[Any] | LabelArray
"""Dataset labels: text or integers, one per dataset."""

NameOf = Callable[[int], str]
"""Gives the label of a dataset, for messages."""

# Read-only arrays that were checked here, by identity: a graph hands its labels on to its mechanism.
_checked: "WeakValueDictionary[int, NDArray[Any]]" = WeakValueDictionary()


def label_array(labels: Iterable[object], size: int) -> LabelArray:
    """Return dataset labels as a read-only array of text or int64, checked to be distinct.

    Integers stay integers where all labels are; everything else becomes text. A few very long labels among
    many short ones are held as Python text (dtype object), since numpy would pad every label to the longest.

    Raises
    ------
    GraphShapeError
        If there are not exactly `size` labels, or one is missing.
    DuplicateDatasetError
        If a label occurs twice.
    """
    if isinstance(labels, RowLabels) or (isinstance(labels, np.ndarray) and _is_checked(labels)):
        require_one_each("labels", labels.size, size)
        return labels
    masked = np.ma.is_masked(labels)
    if isinstance(labels, np.ndarray) and not masked and labels.ndim == 1 and labels.dtype.kind in "iU":
        array = labels.astype(np.int64 if labels.dtype.kind == "i" else labels.dtype)
        items: list[Any] = array.tolist()
    else:
        given = items_of(labels.tolist() if isinstance(labels, np.ndarray) else labels)
        if given is None or any(isinstance(item, list) for item in given):
            what = kind_of(labels)
            raise GraphShapeError(f"labels cannot be {what}", help="give a flat list of one name per dataset")
        items = given
        array, items = _typed(items)
    require_one_each("labels", len(items), size)
    if len(set(items)) != size:
        last = {item: index for index, item in enumerate(items)}
        twice = next(item for index, item in enumerate(items) if last[item] != index)
        raise DuplicateDatasetError(
            f"the dataset {twice!r} occurs twice", help="name every dataset once", dataset=as_text(twice)
        )
    _checked[id(array)] = frozen(array)
    return array


def _is_checked(labels: NDArray[Any]) -> bool:
    return _checked.get(id(labels)) is labels and not labels.flags.writeable


def _typed(items: list[Any]) -> tuple[NDArray[Any], list[Any]]:
    kinds = set(map(type, items))
    if type(None) in kinds:
        at = items.index(None)
        raise GraphShapeError(f"the dataset number {at} has no label", help="name every dataset", dataset=at)
    if bool not in kinds and all(issubclass(kind, int | np.integer) for kind in kinds):
        smallest, largest = (min(items), max(items)) if items else (0, 0)
        if smallest >= -(2**63) and largest < 2**63:
            return np.array(items, dtype=np.int64), items
    items = items if kinds == {str} else list(map(as_text, items))
    longest = max(map(len, items), default=0)
    # numpy takes NUL characters at the end of a label for its own padding.
    trailing = any(item.endswith("\0") for item in items)
    padded_bytes = 4 * longest * len(items)
    return np.array(items, dtype=object if trailing or padded_bytes > _LARGEST_TEXT_BYTES else np.str_), items


def as_text(label: object) -> str:
    """Return a label as text; an integer of any length has one.

    Examples
    --------
    >>> as_text(7), as_text("x"), len(as_text(10**5000))
    ('7', 'x', 5001)
    """
    return format_fraction(Fraction(int(label))) if is_whole(label) else str(label)


def name_of(labels: Labels | None, dataset: int) -> str:
    """Return the name of a dataset for a message: its label, or its number where it has none."""
    if isinstance(labels, RowLabels):
        return labels[dataset]
    # Only an error asks for names, so it may take the time to read all labels, whatever holds them.
    names = items_of(labels) or []
    return as_text(names[dataset] if dataset < len(names) else dataset)


def matched(
    labels: LabelArray | None, others: LabelArray | None, *, named: bool = False
) -> NDArray[np.int64] | None:
    """Return the place of each label among the others; None where both are in the same order.

    Parameters
    ----------
    labels, others : array [n] or None
        Names of equally many datasets; None for 0 to n - 1.
    named : bool
        Whether datasets without names are called by their numbers alone. Otherwise they are taken to be in
        the order of the other names, unless all of these are numbers.

    Raises
    ------
    UnknownDatasetError
        If a label is missing among the others.
    """
    if labels is others or (
        isinstance(labels, RowLabels) and isinstance(others, RowLabels) and labels == others
    ):
        return None
    known = others if labels is None else labels
    if known is None or (not named and (labels is None or others is None) and not _are_numbers(known)):
        return None
    if isinstance(known, RowLabels) and (labels is None or others is None) and _are_numbers(known):
        # Rows of one number are in ascending order.
        return None
    ours, theirs = (_texts(each, known.size) for each in (labels, others))
    if ours == theirs:
        return None
    numbers = dict(zip(theirs, range(known.size), strict=True))
    missing = next((name for name in ours if name not in numbers), None)
    if missing is not None:
        raise UnknownDatasetError(
            f"there is no dataset {missing!r}", help="give every dataset", dataset=missing
        )
    return np.fromiter(map(numbers.__getitem__, ours), dtype=np.int64, count=known.size)


def _texts(labels: LabelArray | None, size: int) -> list[str]:
    return list(map(str, range(size) if labels is None else labels.tolist()))


def _are_numbers(labels: LabelArray) -> bool:
    """Tell whether all names are numbers, so that datasets without names can be meant."""
    if isinstance(labels, RowLabels):
        return (labels[0], labels[-1]) == ("0", str(labels.size - 1))
    return labels.dtype.kind == "i" or all(str(name).isdecimal() for name in labels.tolist())


def close_labels(wrong: str, labels: Sequence[str]) -> str:
    """Return a hint that names the labels closest to a wrong one, or an empty text.

    Comparing with a million labels one by one would take a minute. One slip leaves the first or the second
    half of a label as it was, so among many labels only those that share a half are compared.
    """
    if len(labels) > _MOST_HINTS:
        middle = len(wrong) // 2
        start, end = wrong[: max(middle, 1)], wrong[middle:]
        alike = [label for label in labels if label.startswith(start) or label.endswith(end)]
        labels = alike[:_MOST_HINTS]
    return did_you_mean(wrong, labels)


class Named:
    """Base of what has datasets with names: names to numbers and back; iterates over the names."""

    _called = "graph"
    """What has the datasets, for messages."""

    if TYPE_CHECKING:
        labels: LabelArray | None

        @property
        def size(self) -> int:
            """Number of datasets."""
            ...

    def label(self, dataset: int) -> str:
        """Return the name of a dataset, given by its number.

        Parameters
        ----------
        dataset : int
            From 0.

        Returns
        -------
        str

        Raises
        ------
        UnknownDatasetError
            If there is no such number.

        Examples
        --------
        >>> from rainbowdp.graph import RainbowGraph
        >>> graph = RainbowGraph.from_edges([("ann", "bob")], {"ann": "b>r", "bob": "r>b"})
        >>> graph.label(1)
        'bob'
        """
        require_dataset(dataset, self.size)
        return str(dataset if self.labels is None else self.labels[dataset])

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[str]:
        return map(str, range(self.size) if self.labels is None else self.labels)

    def __contains__(self, label: object) -> bool:
        try:
            self.index(label)
        except UnknownDatasetError:
            return False
        return True

    def index(self, label: object) -> int:
        """Return the number of a dataset, given by its name as text or in its own type.

        Parameters
        ----------
        label : str or int
            The name.

        Returns
        -------
        int

        Raises
        ------
        UnknownDatasetError
            If no dataset has that name; the help names similar ones.

        Examples
        --------
        >>> from rainbowdp.graph import RainbowGraph
        >>> graph = RainbowGraph.from_edges([("ann", "bob")], {"ann": "b>r", "bob": "r>b"})
        >>> graph.index("bob")
        1
        """
        text, close = as_text(label), ""
        if self.labels is None:
            is_number = re.fullmatch(r"0|[1-9][0-9]{0,17}", text) and int(text) < self.size
            found = int(text) if is_number else None
        elif isinstance(self.labels, RowLabels):
            found = self.labels.number_of(text)
        else:
            found = self._numbers.get(text)
            close = close_labels(text, list(self._numbers)) if found is None else ""
        if found is None:
            first, last = self.label(0), self.label(self.size - 1)
            raise UnknownDatasetError(
                f"there is no dataset {text!r}",
                help=close or f"the {self._called} has {self.size} datasets, from {first!r} to {last!r}",
                dataset=text,
            )
        return found

    @functools.cached_property
    def _numbers(self) -> dict[str, int]:
        """Dataset number by name; a million names take a tenth of a second, and only when first asked."""
        names = [] if self.labels is None else self.labels.tolist()
        return dict(zip(map(str, names), range(self.size), strict=True))
