"""What the bytes of a file say that it is."""

from io import BytesIO
from zipfile import ZipFile

import pytest

from lib.media import ANY, FILE_NAME_CHARACTERS, clean_name, is_accepted, media_type_of


def zipped(*names):
    written = BytesIO()
    with ZipFile(written, "w") as made:
        for name in names:
            made.writestr(name, "x")
    return written.getvalue()


WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("content", "name", "media_type"),
    [
        (b"%PDF-1.7\n", "a.txt", "application/pdf"),
        (b"\x89PNG\r\n\x1a\nrest", "a.html", "image/png"),
        (b"\xff\xd8\xff\xe0", "a", "image/jpeg"),
        (b"GIF89a", "a.gif", "image/gif"),
        (b"RIFF\n\x00\n\x00WEBPVP8", "a.webp", "image/webp"),
        (b"<script>alert(1)</script>", "a.html", "text/plain"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "a.svg", "text/plain"),
        (b"<html>%PDF-1.7", "a.pdf", "text/plain"),
        ("Grüße\r\n".encode(), "a.txt", "text/plain"),
        (b"a,b\n", "a.CSV", "text/csv"),
        (b"a\x00b", "a.txt", ANY),
        (b"\xff\xfe", "a.txt", ANY),
        (b"", "a", ANY),
        (zipped("word/document.xml"), "a.docx", WORD),
        (zipped("a.txt"), "a.docx", "application/zip"),
        (b"PK\x03\x04broken", "a.docx", ANY),
    ],
)
def test_its_bytes_say_what_it_is(content, name, media_type):
    assert media_type_of(content, name) == media_type


def test_what_a_field_takes():
    assert is_accepted("application/pdf", "a.pdf", [])
    assert is_accepted("application/pdf", "A.PDF", [".pdf"])
    assert is_accepted("image/png", "a", ["application/pdf", "IMAGE/*"])
    assert not is_accepted("text/plain", "a.png", ["image/*"])


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\a.pdf", "a.pdf"),
        ('a"b<c>.pdf', "abc.pdf"),
        ("a\r\nX: y\u202e.pdf", "aX y.pdf"),
        ("", "file"),
        ("..", "file"),
        (".htaccess", "htaccess"),
        ("Vertrag für Ann.pdf", "Vertrag für Ann.pdf"),
    ],
)
def test_a_name_may_stand_in_any_folder(name, clean):
    assert clean_name(name) == clean


def test_a_long_name_keeps_its_ending():
    assert clean_name("x" * 500 + ".pdf") == "x" * (FILE_NAME_CHARACTERS - 4) + ".pdf"
