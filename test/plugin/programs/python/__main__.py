import pulumi
import pulumi_agent_log_config as alc

PROJECT_ID = "0123456789abcdef01234567"

# It takes what it lacks from the configuration of the stack.
west = alc.Provider("west", public_key="publickey", max_retries=0)
monitoring = alc.AgentLogConfig(
    "monitoring",
    project_id=PROJECT_ID,
    agent=pulumi.Config().get("agent") or "monitoring",
)
alc.AgentLogConfig(
    "ignored",
    project_id=PROJECT_ID,
    agent="monitoring",
    opts=pulumi.ResourceOptions(provider=west, ignore_changes=["logRotate"]),
)
alc.AgentLogConfig(
    "watched",
    project_id=PROJECT_ID,
    agent=alc.AgentKind.BACKUP,
    expect=alc.ExpectedSettingsArgs(not_set=["logRotate.numTotal"]),
    when_unexpected="warn",
    when_unavailable=alc.WhenUnavailable.USE_RECORDED,
)
deleted = alc.AgentLogConfig("deleted", project_id="f" * 24, agent="backup")
backup = alc.get_agent_log_config_output(project_id=PROJECT_ID, agent="backup")

pulumi.export("monitoringLog", monitoring.log_path)
pulumi.export("deletedLog", deleted.log_path)
pulumi.export("backupLog", backup.log_path)
pulumi.export("westKey", west.public_key)
