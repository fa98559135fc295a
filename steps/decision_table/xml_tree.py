"""XML as a small tree: no document type, no entities, a bounded size."""

from dataclasses import dataclass, field
from xml.parsers import expat

from steps.decision_table.limits import XML_ELEMENTS, XML_LEVELS
from steps.decision_table.refused import Refused


@dataclass(slots=True)
class Element:
    """An element by its local name and namespace, with its attributes, its text and its children."""

    namespace: str
    name: str
    attributes: dict[str, str]
    text: str = ""
    children: list["Element"] = field(default_factory=list)

    def all(self, name: str) -> list["Element"]:
        """The children of this name in the same namespace."""
        return [child for child in self.children if child.name == name and child.namespace == self.namespace]

    def first(self, name: str) -> "Element | None":
        """The first child of this name."""
        return next(iter(self.all(name)), None)


class _Builder:
    def __init__(self) -> None:
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > XML_ELEMENTS or len(self.open) >= XML_LEVELS:
            raise Refused("a document this large or this deep")
        namespace, _, name = tag.rpartition(" ")
        element = Element(namespace, name, attributes)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        element = self.open.pop()
        element.text = element.text.strip()

    def data(self, text: str) -> None:
        self.open[-1].text += text


def parse_xml(text: str) -> Element:
    """The root element. Raises Refused, also for a document type, by which a small text may become endless."""
    builder = _Builder()
    parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.EntityDeclHandler = _refuse_doctype
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        raise Refused(f"a text that is not XML ({error})") from None
    except UnicodeEncodeError:
        raise Refused("a character that XML doesn't have") from None
    if builder.root is None:
        raise Refused("a document without an element")
    return builder.root


def _refuse_doctype(*_: object) -> None:
    raise Refused("a document type or an entity")
