"""Reading XML of other programs by defusedxml: without entities, document types and references to other files."""

from typing import Any

from topoloom.core.errors import InputError, at


def parse_xml(text: str, source: str) -> Any:
    """The root element (`xml.etree.ElementTree.Element`) of an XML text.

    Parameters
    ----------
    text : str
    source : str
        The file's name, for messages.

    Returns
    -------
    Element

    Raises
    ------
    InputError
        ``file:line: reason``: the text is not XML, or declares entities; defusedxml is not installed.
    """
    try:
        from defusedxml import DefusedXmlException
        from defusedxml.ElementTree import ParseError, fromstring
    except ImportError:
        raise InputError(f"{source}: XML needs defusedxml: pip install 'topoloom[xml]'") from None
    try:
        # A text with a declaration of its encoding must be bytes.
        return fromstring(text.encode())
    except DefusedXmlException:
        raise at(source, None, "declares entities or a document type, which no such file needs; remove them") from None
    except ParseError as error:
        line, _ = error.position
        raise at(source, line, f"is no XML: {str(error).partition(':')[0]}") from None
    except (LookupError, ValueError) as error:
        raise at(source, None, f"is no XML: {error}") from None
    except RecursionError:
        raise at(source, None, "is no XML: it nests too deep") from None


def local_name(tag: Any) -> str:
    """The name of an element or attribute without its namespace; empty for comments."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
