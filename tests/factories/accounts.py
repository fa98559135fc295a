"""Rows of accounts: tenants, people and what they are in a tenant."""

from typing import Any

import factory
from django.db.models import Manager, Model
from factory.django import DjangoModelFactory, Password

from accounts.folders import default_folder
from accounts.models import Folder, FolderGrant, Group, GroupMember, Membership, Tenant, User
from accounts.names import key_of
from accounts.roles import READ

PASSWORD = "a long password"


class OfATenant(DjangoModelFactory):
    """Rows of a table that is asked for with its tenant; a factory looks for one that is there by its own columns."""

    class Meta:
        abstract = True

    @classmethod
    def _get_manager(cls, model_class: type[Model]) -> Manager[Any]:
        return model_class._base_manager


READERS = ("viewer", "approver")


class TenantFactory(DjangoModelFactory[Tenant]):
    """A tenant, once for each slug; an admin has let viewers and approvers read what lies in its default folder."""

    slug = "default"
    name = factory.LazyAttribute(lambda tenant: tenant.slug.title())

    class Meta:
        model = Tenant
        django_get_or_create = ("slug",)

    @classmethod
    def _create(cls, model_class: type[Tenant], *args: Any, **columns: Any) -> Tenant:
        # Asked for several times in most tests: what is there has its folder, and what a test took away stays away.
        if (tenant := model_class.objects.filter(slug=columns["slug"]).first()) is not None:
            return tenant
        tenant = super()._create(model_class, *args, **columns)
        grants = [
            FolderGrant(tenant=tenant, folder=default_folder(tenant.pk), role=role, verbs=[READ])
            for role in READERS
        ]
        FolderGrant.unsafe_all_tenants.bulk_create(grants)
        return tenant


class UserFactory(DjangoModelFactory[User]):
    """A person, once for each username, with `PASSWORD` where they log in."""

    username = factory.Sequence(lambda number: f"user{number}")

    class Meta:
        model = User
        django_get_or_create = ("username",)

    class Params:
        logs_in = factory.Trait(password=Password(PASSWORD))


class MembershipFactory(OfATenant):
    """Somebody's role in a tenant: `MembershipFactory(user__username="ann", role="author")`."""

    tenant = factory.SubFactory(TenantFactory)
    user = factory.SubFactory(UserFactory)
    role = "viewer"

    class Meta:
        model = Membership
        django_get_or_create = ("tenant", "user")


class GroupFactory(OfATenant):
    """A group of a tenant, once for each name."""

    tenant = factory.SubFactory(TenantFactory)
    name = "Finance"
    key = factory.LazyAttribute(lambda group: key_of(group.name))

    class Meta:
        model = Group
        django_get_or_create = ("tenant", "key")


class GroupMemberFactory(OfATenant):
    """A member in a group of the same tenant."""

    membership = factory.SubFactory(MembershipFactory)
    tenant = factory.SelfAttribute("membership.tenant")
    group = factory.SubFactory(GroupFactory, tenant=factory.SelfAttribute("..tenant"))

    class Meta:
        model = GroupMember
        django_get_or_create = ("group", "membership")


class FolderFactory(OfATenant):
    """A folder of a tenant that grants nothing, once for each name."""

    tenant = factory.SubFactory(TenantFactory)
    name = "Locked"
    key = factory.LazyAttribute(lambda folder: key_of(folder.name))

    class Meta:
        model = Folder
        django_get_or_create = ("tenant", "key")


def a_tenant(slug: str = "default") -> Tenant:
    """The tenant of this name."""
    return TenantFactory(slug=slug)


def a_user(username: str = "author") -> User:
    """The user of this name, who is no member of anything yet."""
    return UserFactory(username=username)


def a_member(username: str, role: str = "viewer", tenant: str = "default") -> User:
    """The user of this name, with this role in this tenant and `PASSWORD`."""
    seat = MembershipFactory(user__username=username, user__logs_in=True, tenant__slug=tenant, role=role)
    return seat.user
