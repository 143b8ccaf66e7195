# SPDX-License-Identifier: Apache-2.0
"""Bridges to other libraries for differential privacy, one module each, all optional.

rainbowdp answers, and the other library keeps its books. `opendp` makes measurements of a
question, `diffprivlib` pays for an answer from that library's accountant, and `accounting` turns privacy into
privacy-loss distributions that compose. Numbers that cross a bridge become floats, and every one of them is
rounded to the side on which privacy is never under-reported. Nothing below imports this package, and a module
here loads the other library when it is first used.
"""

from rainbowdp.errors import MissingExtraError


def missing_extra(package: str, extra: str, error: ImportError) -> MissingExtraError:
    """Return the error for a library that is not installed, or that is and does not load.

    Parameters
    ----------
    package : str
        The library, by the name it is imported by.
    extra : str
        The extra of rainbowdp that installs it.
    error : ImportError
        Why it did not load.

    Returns
    -------
    MissingExtraError

    Examples
    --------
    >>> absent = ModuleNotFoundError("No module named 'opendp'", name="opendp")
    >>> print(missing_extra("opendp", "opendp", absent).report())
    error[RDP902]: this bridge needs opendp, which is not installed
    help: pip install 'rainbowdp[opendp]'
    >>> broken = ImportError("cannot import name 'DOUBLE'", name="sklearn.tree._tree")
    >>> print(missing_extra("diffprivlib", "diffprivlib", broken).what)
    this bridge needs diffprivlib, which is installed and does not load: cannot import name 'DOUBLE'
    """
    absent = isinstance(error, ModuleNotFoundError) and (error.name or "").split(".")[0] == package
    state = "not installed" if absent else f"installed and does not load: {error}"
    return MissingExtraError(
        f"this bridge needs {package}, which is {state}",
        help=f"pip install 'rainbowdp[{extra}]'",
        package=package,
    )
