"""Rows of accounts: tenants, people and what they are in a tenant."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from uuid import uuid4

import factory
import psycopg
from django.db import connection
from django.db.models import Model
from django.db.models.expressions import DatabaseDefault
from factory.django import DjangoModelFactory, Password
from psycopg.types.json import Jsonb

from accounts.folders import DEFAULT_NAME, standard_grants
from accounts.models import AccountMail, Folder, FolderGrant, Group, GroupMember, Membership, Tenant, User
from accounts.names import key_of
from accounts.roles import READ

PASSWORD = "a long password"


def one(statement: str, values: Mapping[str, Any]) -> Sequence[Any]:
    """The row that a statement gives, which is prepared once and for all."""
    connection.ensure_connection()
    with psycopg.Cursor(connection.connection) as cursor:
        row = cursor.execute(statement, values, prepare=True).fetchone()
    assert row is not None
    return row


def columns_of(model: type[Model]) -> list[str]:
    """The names of a model's columns, in their order."""
    return [field.attname for field in model._meta.concrete_fields]


def values_of(row: Model) -> dict[str, Any]:
    """What a new row has by its columns, but for what the table gives it: nulls have no type in a statement."""
    fields = [
        field
        for field in row._meta.concrete_fields
        if not isinstance(row.__dict__[field.attname], DatabaseDefault)
    ]
    found = {field.attname: field.get_db_prep_save(field.pre_save(row, True), connection) for field in fields}
    return {name: value for name, value in found.items() if value is not None}


class InOneStatement(DjangoModelFactory):
    """Rows that are made by a statement of which the server has a plan: half of what it takes as Django does it."""

    class Meta:
        abstract = True

    @classmethod
    def _create(cls, model_class: type[Model], *args: Any, **columns: Any) -> Model:
        row = model_class(**columns)
        values = values_of(row)
        given = [field.attname for field in model_class._meta.concrete_fields if field.attname not in values]
        for name, value in zip(
            given, one(_made(model_class, tuple(values), tuple(given)), values), strict=True
        ):
            setattr(row, name, value)
        row._state.adding, row._state.db = False, "default"
        return row


@cache
def _made(model: type[Model], values: tuple[str, ...], given: tuple[str, ...]) -> str:
    return f"""
        INSERT INTO {model._meta.db_table} ({", ".join(values)}) VALUES ({", ".join(f"%({name})s" for name in values)})
        RETURNING {", ".join(given)}"""


class Once(DjangoModelFactory):
    """Rows of which there is one for each value of some columns (`django_get_or_create`).

    In one statement: Django looks for it, opens a savepoint lest somebody else is faster, and makes it.
    """

    class Meta:
        abstract = True

    @classmethod
    def _get_or_create(cls, model_class: type[Model], *args: Any, **columns: Any) -> Model:
        row = model_class(**columns)
        values = values_of(row)
        known = tuple(model_class._meta.get_field(name).attname for name in cls._meta.django_get_or_create)
        found = one(_found_or_made(model_class, tuple(values), known), values)
        made = model_class.from_db("default", columns_of(model_class), found)
        for field in model_class._meta.concrete_fields:
            if field.is_relation and field.is_cached(row):
                field.set_cached_value(made, field.get_cached_value(row))
        return made


@cache
def _found_or_made(model: type[Model], given: tuple[str, ...], known: tuple[str, ...]) -> str:
    table, every = model._meta.db_table, ", ".join(columns_of(model))
    return f"""
        WITH found AS (SELECT {every} FROM {table} WHERE {" AND ".join(f"{name} = %({name})s" for name in known)}),
             made AS (INSERT INTO {table} ({", ".join(given)})
                      SELECT {", ".join(f"%({name})s" for name in given)} WHERE NOT EXISTS (SELECT FROM found)
                      RETURNING {every})
        SELECT * FROM found UNION ALL SELECT * FROM made"""


READERS = ("viewer", "approver")
_STANDARD = {grant.role: list(grant.verbs) for grant in standard_grants()}
_GRANTS = list((_STANDARD | {role: [READ] for role in READERS}).items())
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
        row = one(_TENANT, {**columns, "grants": Jsonb(_GRANTS)})
        return model_class.from_db("default", ["id", "slug", "name", "created_at"], row)


class UserFactory(Once):
    """A person, once for each username, with `PASSWORD` where they log in."""

    username = factory.Sequence(lambda number: f"user{number}")

    class Meta:
        model = User
        django_get_or_create = ("username",)

    class Params:
        logs_in = factory.Trait(password=Password(PASSWORD))


class MembershipFactory(Once):
    """Somebody's role in a tenant: `MembershipFactory(user__username="ann", role="author")`."""

    tenant = factory.SubFactory(TenantFactory)
    user = factory.SubFactory(UserFactory)
    role = "viewer"

    class Meta:
        model = Membership
        django_get_or_create = ("tenant", "user")


class GroupFactory(Once):
    """A group of a tenant, once for each name."""

    tenant = factory.SubFactory(TenantFactory)
    name = "Finance"
    key = factory.LazyAttribute(lambda group: key_of(group.name))

    class Meta:
        model = Group
        django_get_or_create = ("tenant", "key")


class GroupMemberFactory(Once):
    """A member in a group of the same tenant."""

    membership = factory.SubFactory(MembershipFactory)
    tenant = factory.SelfAttribute("membership.tenant")
    group = factory.SubFactory(GroupFactory, tenant=factory.SelfAttribute("..tenant"))

    class Meta:
        model = GroupMember
        django_get_or_create = ("group", "membership")


class FolderFactory(Once):
    """A folder of a tenant that grants nothing, once for each name."""

    tenant = factory.SubFactory(TenantFactory)
    name = "Locked"
    key = factory.LazyAttribute(lambda folder: key_of(folder.name))

    class Meta:
        model = Folder
        django_get_or_create = ("tenant", "key")


class GrantFactory(DjangoModelFactory[FolderGrant]):
    """What a folder grants to a role or a group."""

    folder = factory.SubFactory(FolderFactory)
    tenant_id = factory.SelfAttribute("folder.tenant_id")

    class Meta:
        model = FolderGrant


class AccountMailFactory(DjangoModelFactory[AccountMail]):
    """A mail to somebody about their account that could not be sent once."""

    id = factory.LazyFunction(uuid4)
    tenant = factory.SubFactory(TenantFactory)
    user = factory.SubFactory(UserFactory)
    kind = "password"
    attempts = 1
    error = "no answer"

    class Meta:
        model = AccountMail


def a_tenant(slug: str = "default") -> Tenant:
    """The tenant of this name."""
    return TenantFactory(slug=slug)


class OfATenant(DjangoModelFactory):
    """What belongs to the default tenant, where none is given."""

    tenant_id = factory.LazyFunction(lambda: a_tenant().pk)

    class Meta:
        abstract = True


_DEFAULT_FOLDER = f"""
    SELECT {", ".join(columns_of(Folder))} FROM accounts_folder WHERE tenant_id = %(tenant)s AND is_default"""


def the_default_folder(tenant: Tenant) -> Folder:
    """The folder that every tenant has."""
    return Folder.from_db("default", columns_of(Folder), one(_DEFAULT_FOLDER, {"tenant": tenant.pk}))


def a_user(username: str = "author") -> User:
    """The user of this name, who is no member of anything yet."""
    return UserFactory(username=username)


def a_member(username: str, role: str = "viewer", tenant: str = "default") -> User:
    """The user of this name, with this role in this tenant and `PASSWORD`."""
    seat = MembershipFactory(user__username=username, user__logs_in=True, tenant__slug=tenant, role=role)
    return seat.user
