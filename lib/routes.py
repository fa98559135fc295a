"""Routes by the words of their addresses, so that of hundreds only a few are tried for a request.

Django tries one after another. Here those that begin with the same word lie below one route of that word: for an
address that begins with another one none of them is tried.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeGuard

from django.http import HttpRequest
from django.middleware.common import CommonMiddleware
from django.urls import URLPattern, URLResolver, include, path
from django.urls.resolvers import RoutePattern

Route = URLPattern | URLResolver
_Addressed = tuple[str, Route]
"""The address of a plain route; of any other, what its own pattern comes after."""


class Slashes(CommonMiddleware):
    """Django's, but nothing is tried anew for an address to which a view has answered that there is no such thing."""

    def should_redirect_with_slash(self, request: HttpRequest) -> bool:
        """Whether the address leads nowhere, and would lead somewhere with a slash at its end."""
        return request.resolver_match is None and super().should_redirect_with_slash(request)


def by_words(routes: Iterable[Route]) -> list[Route]:
    """The same routes with the same names; of two that fit an address the one that came first still does."""
    return _by_words(list(_addressed(routes)))


def _addressed(routes: Iterable[Route], before: str = "") -> Iterator[_Addressed]:
    for route in routes:
        if _is_group(route):
            yield from _addressed(route.url_patterns, before + str(route.pattern))
        else:
            yield before + (str(route.pattern) if _is_plain(route) else ""), route


def _is_group(route: Route) -> TypeGuard[URLResolver]:
    is_named = isinstance(route, URLResolver) and (route.namespace or route.default_kwargs)
    return isinstance(route, URLResolver) and isinstance(route.pattern, RoutePattern) and not is_named


def _is_plain(route: Route) -> bool:
    return isinstance(route, URLPattern) and isinstance(route.pattern, RoutePattern)


def _by_words(routes: Sequence[_Addressed]) -> list[Route]:
    groups: list[list[_Addressed]] = []
    of_word: dict[str, list[_Addressed]] = {}
    for address, route in routes:
        word, slash, _ = address.partition("/")
        if slash and "<" not in word:
            if word not in of_word:
                groups.append(of_word.setdefault(word, []))
            of_word[word].append((address, route))
            continue
        groups.append([(address, route)])
        if "<" in word or not _is_plain(route):
            # It may fit any word: what comes after it stays after it.
            of_word = {}
    return [_route(*group[0]) if len(group) == 1 else _below_a_word(group) for group in groups]


def _below_a_word(routes: Sequence[_Addressed]) -> Route:
    word = routes[0][0].partition("/")[0] + "/"
    return path(word, include(_by_words([(address.removeprefix(word), route) for address, route in routes])))


def _route(address: str, route: Route) -> Route:
    if isinstance(route, URLPattern) and _is_plain(route):
        pattern = RoutePattern(address, name=route.name, is_endpoint=True)
        return URLPattern(pattern, route.callback, route.default_args, route.name)
    return path(address, include([route])) if address else route
