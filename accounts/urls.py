"""Pages of accounts."""

from django.urls import path

from accounts import views

urlpatterns = [
    path("login", views.login_page, name="login"),
    path("settings/notifications", views.notifications_page, name="settings-notifications"),
    path("logout", views.logout_page, name="logout"),
]
