"""Rows of accounts: tenants, people and what they are in a tenant."""

from typing import Any

import factory
import psycopg
from django.db import connection
from django.db.models import Manager, Model
from factory.django import DjangoModelFactory, Password
from psycopg.types.json import Jsonb

from accounts.folders import DEFAULT_NAME, standard_grants
from accounts.models import Folder, Group, GroupMember, Membership, Tenant, User
from accounts.names import key_of
from accounts.roles import READ

PASSWORD = "a long password"


class Once(DjangoModelFactory):
    """Rows of which there is one for each value of some columns (`django_get_or_create`).

    Without the savepoint in which Django looks whether somebody else was faster: nobody else is here.
    """

    class Meta:
        abstract = True

    @classmethod
    def _get_or_create(cls, model_class: type[Model], *args: Any, **columns: Any) -> Model:
        rows = cls._get_manager(model_class)
        known = {name: columns[name] for name in cls._meta.django_get_or_create}
        return rows.filter(**known).first() or rows.create(**columns)


class OfATenant(Once):
    """Rows of a table that is asked for with its tenant; a factory looks for one that is there by its own columns."""

    class Meta:
        abstract = True

    @classmethod
    def _get_manager(cls, model_class: type[Model]) -> Manager[Any]:
        return model_class._base_manager


READERS = ("viewer", "approver")
_GRANTS = [
    *((grant.role, list(grant.verbs)) for grant in standard_grants()),
    *((role, [READ]) for role in READERS),
]
# Nearly every test asks for a tenant, and most do several times: as Django has it, eleven statements and five
# milliseconds. What is there stays as it is.
_TENANT = f"""
    WITH found AS (SELECT id, slug, name, created_at FROM accounts_tenant WHERE slug = %(slug)s),
         made AS (INSERT INTO accounts_tenant (slug, name)
                  SELECT %(slug)s, %(name)s WHERE NOT EXISTS (SELECT FROM found)
                  RETURNING id, slug, name, created_at),
         folder AS (INSERT INTO accounts_folder (tenant_id, name, key, is_default)
                    SELECT id, '{DEFAULT_NAME}', '{key_of(DEFAULT_NAME)}', true FROM made
                    RETURNING id, tenant_id),
         granted AS (INSERT INTO accounts_foldergrant (tenant_id, folder_id, role, verbs)
                     SELECT folder.tenant_id, folder.id, g ->> 0,
                            ARRAY(SELECT jsonb_array_elements_text(g -> 1))
                       FROM folder, jsonb_array_elements(%(grants)s::jsonb) g)
    SELECT * FROM found UNION ALL SELECT * FROM made"""


class TenantFactory(DjangoModelFactory[Tenant]):
    """A tenant, once for each slug; an admin has let viewers and approvers read what lies in its default folder."""

    slug = "default"
    name = factory.LazyAttribute(lambda tenant: tenant.slug.title())

    class Meta:
        model = Tenant

    @classmethod
    def _create(cls, model_class: type[Tenant], *args: Any, **columns: Any) -> Tenant:
        connection.ensure_connection()
        with psycopg.Cursor(connection.connection) as cursor:
            cursor.execute(_TENANT, {**columns, "grants": Jsonb(_GRANTS)}, prepare=True)
            row = cursor.fetchone()
        return model_class.from_db("default", ["id", "slug", "name", "created_at"], row)


class UserFactory(Once):
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
