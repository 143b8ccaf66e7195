# SPDX-License-Identifier: Apache-2.0
"""What is said when the library on the other side of a bridge cannot be loaded."""

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
