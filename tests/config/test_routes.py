"""Routes that lie below their words: the same views answer to the same addresses, and few routes are tried for one."""

import re
from uuid import UUID

import pytest
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, URLResolver, get_resolver, include, path, re_path, reverse
from django.urls.resolvers import RegexPattern

from config import urls
from lib.routes import Slashes, by_words

AN_ID = UUID("01a21f93-1106-78df-85b4-d5180f3e45cf")
WORDS = ("new", "count", "edit", "7", str(AN_ID))


def view(request: HttpRequest, **_: object) -> HttpResponse:
    return HttpResponse()


def resolver(routes) -> URLResolver:
    return URLResolver(RegexPattern(r"^/"), routes)


def found(among: URLResolver, address: str) -> object:
    """What answers to an address, and what it is told; None for nothing."""
    try:
        match = among.resolve(address)
    except Resolver404:
        return None
    return match.func, match.args, match.kwargs, match.url_name, match.route.replace("^", "")


def addresses(routes, before: str = "") -> set[str]:
    """Addresses as the routes are written."""
    written: set[str] = set()
    for route in routes:
        whole = before + str(route.pattern).replace("^", "")
        written |= addresses(route.url_patterns, whole) if isinstance(route, URLResolver) else {whole}
    return written


def filled(address: str, word: str) -> str:
    """An address with a word for what is told by a part of it, an id or a number where it must be one."""

    def part(match: re.Match[str]) -> str:
        kind = match[1].partition(":")[0]
        return {"uuid": str(AN_ID), "int": "7"}.get(kind, word)

    return "/" + re.sub("<(.+?)>", part, address)


def test_every_address_leads_where_it_would_if_the_routes_were_tried_one_after_another():
    before, now = resolver(urls._ROUTES), get_resolver()
    written = addresses(urls._ROUTES)
    assert written == addresses(urls.urlpatterns)
    asked = {filled(address, word) for address in written for word in WORDS}
    for address in asked | {f"{one}/" for one in asked} | {f"{one}x" for one in asked}:
        assert found(now, address) == found(before, address), address


def test_of_hundreds_of_routes_a_few_are_tried():
    assert len(addresses(urls.urlpatterns)) > 300
    for address in ("/no-such-page", "/runs/no/such/page", "/operations/no-such-page", "/inbox/no/such"):
        with pytest.raises(Resolver404) as refusal:
            get_resolver().resolve(address)
        assert len(refusal.value.args[0]["tried"]) < 70, address


def test_what_may_fit_any_word_keeps_its_place():
    routes = [
        path("a/first", view, name="first"),
        path("<str:word>/second", view, name="second"),
        path("a/second", view, name="never"),
        path("b/third", view, name="third"),
        re_path("^b/f", view, name="fourth"),
        path("b/fifth", view, name="hidden"),
        path("b/", include([path("sixth", view, name="sixth"), re_path("^", view, name="rest")])),
    ]
    grouped = resolver(by_words(routes))
    names = {
        "/a/first": "first",
        "/a/second": "second",
        "/b/third": "third",
        "/b/fifth": "fourth",
        "/b/sixth": "sixth",
        "/b/whatever": "rest",
    }
    assert {address: grouped.resolve(address).url_name for address in names} == names
    assert grouped.resolve("/b/second").kwargs == {"word": "b"}
    with pytest.raises(Resolver404):
        grouped.resolve("/a/whatever")


def test_defaults_and_groups_with_a_name_stay_as_they_are():
    named = include(([path("one", view, name="one")], "of"), namespace="of")
    routes = [path("a/b", view, {"told": 1}, name="b"), path("a/c", view, name="c"), path("a/", named)]
    grouped = resolver(by_words(routes))
    assert grouped.resolve("/a/b").kwargs == {"told": 1}
    assert grouped.resolve("/a/one").view_name == "of:one"
    assert grouped.reverse("c") == "a/c"


def test_names_lead_to_addresses():
    assert reverse("run", args=[AN_ID]) == f"/runs/{AN_ID}"
    assert reverse("home") == "/"


def test_an_address_without_its_last_slash_is_led_to_it(client):
    answer = client.get("/inbox?q=1")
    assert (answer.status_code, answer.headers["Location"]) == (301, "/inbox/?q=1")
    assert client.get("/inboxes").status_code == 404


def test_an_address_at_which_a_view_finds_nothing_leads_to_no_other(rf):
    answer = HttpResponse(status=404)
    asked = rf.get("/inbox")
    assert Slashes(lambda request: answer)(asked).status_code == 301
    asked.resolver_match = get_resolver().resolve("/readyz")
    assert Slashes(lambda request: answer)(asked) is answer
