"""What the database role that works may do with each table, decided for each by hand (docs/security.md, "Evidence")."""

RIGHTS = {
    "SELECT": """
        django_migrations
    """,
    "SELECT INSERT": """
        accounts_auditlink accounts_auditrecord
        runs_approval runs_historyevent runs_runseal tasks_inbox_taskcomment tasks_inbox_taskdecision
    """,
    "SELECT INSERT UPDATE": """
        accounts_audithead runs_approvaluse runs_run tasks_inbox_evidencehead tasks_inbox_manualtask
        tasks_inbox_taskfile workflows_workflowversion
    """,
    "SELECT INSERT UPDATE DELETE": """
        accounts_accountmail accounts_apitoken accounts_auditpending accounts_folder accounts_foldergrant accounts_group
        accounts_groupmember accounts_keptanswer accounts_loginattempt accounts_membership accounts_session
        accounts_tenant accounts_tenantkey accounts_user auth_group auth_group_permissions auth_permission
        dispatch_outbox django_content_type django_session files_fileuse files_storedfile
        files_storedfilecontent runs_alert runs_alertcause runs_alertchannel
        runs_alertdelivery runs_alertrule runs_blob runs_bulkitem runs_bulkjob runs_calendar runs_container
        runs_deadletter runs_dispatchleader runs_dispatchsample runs_duty runs_dutycursor runs_forecast
        runs_forecastcursor runs_historycheck runs_historydifference runs_inboundwebhook
        runs_inputfield runs_inputindex runs_installation
        runs_outgoingdelivery runs_outgoingreplay runs_outgoingsecret runs_outgoingwebhook runs_queuepoll
        runs_repair runs_request runs_resttime runs_runkey runs_runmessage runs_runtelemetry
        runs_runvariable runs_savedsearch runs_schedule runs_scheduleentry runs_signal runs_startdraft
        runs_stepexecution runs_stepjoin runs_steplog runs_steptelemetry runs_sweptday runs_telemetrybucket
        runs_telemetrycursor runs_timer runs_treecount runs_undoentry runs_wake_source runs_webhookdelivery
        runs_webhooksecret runs_worker runs_workercontact tasks_inbox_awayrule tasks_inbox_helddecision
        tasks_inbox_inboxview tasks_inbox_notification tasks_inbox_taskdraft tasks_inbox_taskfilecontent
        tasks_inbox_taskmark tasks_inbox_tasknote workflows_draftchange workflows_stepcomment
        workflows_stepmention workflows_stepthread workflows_testcase workflows_versionwithdrawal
        workflows_workflow
    """,
}
