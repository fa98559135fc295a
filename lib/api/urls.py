"""Routes of the API that belong to no app; include them last, below `api/`."""

from django.urls import path, re_path

from lib.api import views

urlpatterns = [
    path("v1/schema", views.SchemaView.as_view(), name="api-schema"),
    path("docs", views.docs_page, name="api-docs"),
    re_path(r"^", views.UnknownRouteView.as_view(), name="api-unknown"),
]
