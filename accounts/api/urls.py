"""The routes of accounts, below `/api/v1/`."""

from django.urls import path

from accounts.api import audit, folders, groups, me, members, tokens

urlpatterns = [
    path("audit", audit.AuditView.as_view(), name="api-audit"),
    path("me", me.MeView.as_view(), name="api-me"),
    path("me/notifications", me.NotificationsView.as_view(), name="api-me-notifications"),
    path("members", members.MembersView.as_view(), name="api-members"),
    path("members/<str:username>", members.MemberView.as_view(), name="api-member"),
    path("members/<str:username>/impact", members.MemberImpactView.as_view(), name="api-member-impact"),
    path(
        "members/<str:username>/sessions",
        members.MemberSessionsView.as_view(),
        name="api-member-sessions",
    ),
    path(
        "members/<str:username>/password-link",
        members.MemberPasswordLinkView.as_view(),
        name="api-member-password-link",
    ),
    path("groups", groups.GroupsView.as_view(), name="api-groups"),
    path("groups/<int:group_id>", groups.GroupView.as_view(), name="api-group"),
    path("groups/<int:group_id>/impact", groups.GroupImpactView.as_view(), name="api-group-impact"),
    path("folders", folders.FoldersView.as_view(), name="api-folders"),
    path("folders/<int:folder_id>", folders.FolderView.as_view(), name="api-folder"),
    path("tokens", tokens.TokensView.as_view(), name="api-tokens"),
    path("tokens/<str:token_id>/revoke", tokens.TokenRevokeView.as_view(), name="api-token-revoke"),
    path("tokens/<str:token_id>/rotate", tokens.TokenRotateView.as_view(), name="api-token-rotate"),
    path("tokens/<str:token_id>", tokens.TokenView.as_view(), name="api-token"),
]
