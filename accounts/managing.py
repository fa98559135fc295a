"""The pages of settings: members and groups."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from accounts import impacts, pages, queries
from accounts.access import PageRequest, page
from accounts.models import Group
from accounts.roles import MEMBERS_MANAGE, MEMBERS_READ


@page(MEMBERS_READ)
def member_list(request: PageRequest) -> HttpResponse:
    """Who belongs here."""
    return render(request, "settings/members.html", pages.member_list(request))


@never_cache
@page(MEMBERS_MANAGE, "GET", "POST")
def add_member(request: PageRequest) -> HttpResponse:
    """Adds a member; what is wrong is shown at its field, a new user's password only now."""
    context, status = pages.new_member(request)
    return render(request, "settings/add_member.html", context, status=status)


@page(MEMBERS_READ)
def group_list(request: PageRequest) -> HttpResponse:
    """The groups."""
    return render(request, "settings/groups.html", pages.group_list(request))


@page(MEMBERS_MANAGE, "GET", "POST")
def add_group(request: PageRequest) -> HttpResponse:
    """Makes a group; what is wrong is shown at its field."""
    outcome = pages.new_group(request)
    if not isinstance(outcome, Group):
        return render(request, "settings/group.html", outcome[0], status=outcome[1])
    messages.success(request, f"The group {outcome.name} was added.")
    return redirect("settings-groups")


@page(MEMBERS_MANAGE, "GET", "POST")
def group(request: PageRequest, group_id: int) -> HttpResponse:
    """Changes a group's name and members."""
    row = queries.find_group(request.principal.tenant_id, group_id)
    if request.method != "POST":
        return render(request, "settings/group.html", pages.group_form(request, row))
    usernames, name = request.POST.getlist("members"), pages.typed(request, "name")
    impact = impacts.of_group(request.principal, row, usernames, name=name)
    back = reverse("settings-group", args=[row.pk])
    if (first := impacts.asked_first(request, impact, f"Change {row.name}", back)) is not None:
        return first
    wrong = pages.change_group(request, row)
    if wrong is not None:
        return render(request, "settings/group.html", wrong[0], status=wrong[1])
    messages.success(request, "The group is changed.")
    return redirect("settings-groups")


@page(MEMBERS_MANAGE, "POST")
def delete_group(request: PageRequest, group_id: int) -> HttpResponse:
    """Deletes a group."""
    row = queries.find_group(request.principal.tenant_id, group_id)
    if pages.typed(request, "reason"):
        impact, back = impacts.of_group(request.principal, row), reverse("settings-group", args=[row.pk])
        if (first := impacts.asked_first(request, impact, f"Delete {row.name}", back)) is not None:
            return first
    wrong = pages.delete_group(request, row)
    if wrong is not None:
        return render(request, "settings/group.html", wrong[0], status=wrong[1])
    messages.success(request, f"The group {row.name} is deleted.")
    return redirect("settings-groups")
