"""Pages of accounts."""

from django.urls import path

from accounts import audit_pages, folder_pages, managing, member_pages, password_pages, token_pages, views

urlpatterns = [
    path("login", views.login_page, name="login"),
    path("password/forgotten", password_pages.forgotten_page, name="password-forgotten"),
    path("password/link/<str:token>", password_pages.link_page, name="password-link"),
    path("settings/", views.settings_start, name="settings"),
    path("settings/me", views.me_page, name="settings-me"),
    path("settings/notifications", views.notifications_page, name="settings-notifications"),
    path("settings/password", views.password_page, name="settings-password"),
    path("settings/tokens", token_pages.token_list, name="settings-tokens"),
    path("settings/tokens/<str:token_id>", token_pages.token, name="settings-token"),
    path("settings/tokens/<str:token_id>/rotate", token_pages.rotate_token, name="settings-token-rotate"),
    path("settings/tokens/<str:token_id>/revoke", token_pages.revoke_token, name="settings-token-revoke"),
    path("logout", views.logout_page, name="logout"),
    path("settings/members", managing.member_list, name="settings-members"),
    path("settings/add-member", managing.add_member, name="settings-member-add"),
    path("settings/members/<str:username>", member_pages.member, name="settings-member"),
    path("settings/members/<str:username>/remove", member_pages.remove_member, name="settings-member-remove"),
    path("settings/members/<str:username>/groups", member_pages.change_groups, name="settings-member-groups"),
    path(
        "settings/members/<str:username>/log-out", member_pages.end_sessions, name="settings-member-log-out"
    ),
    path("settings/members/<str:username>/active", member_pages.set_active, name="settings-member-active"),
    path(
        "settings/members/<str:username>/send-link", member_pages.send_link, name="settings-member-send-link"
    ),
    path(
        "settings/members/<str:username>/make-link", member_pages.make_link, name="settings-member-make-link"
    ),
    path("settings/folders", folder_pages.folder_list, name="settings-folders"),
    path("settings/add-folder", folder_pages.add_folder, name="settings-folder-add"),
    path("settings/folders/<int:folder_id>", folder_pages.folder, name="settings-folder"),
    path(
        "settings/folders/<int:folder_id>/delete", folder_pages.delete_folder, name="settings-folder-delete"
    ),
    path("settings/audit", audit_pages.audit_log, name="settings-audit"),
    path("settings/groups", managing.group_list, name="settings-groups"),
    path("settings/add-group", managing.add_group, name="settings-group-add"),
    path("settings/groups/<int:group_id>", managing.group, name="settings-group"),
    path("settings/groups/<int:group_id>/delete", managing.delete_group, name="settings-group-delete"),
]
