import pulumi
import pulumi_agent_log_config as agent_log_config

project_id = pulumi.Config().require("projectId")

# Recorded in the state: the next preview shows what somebody has changed in the service.
monitoring = agent_log_config.AgentLogConfig(
    "monitoring",
    project_id=project_id,
    agent=agent_log_config.AgentKind.MONITORING,
)

# Many projects are one resource with one record. Its provider reads all of them at the same time.
projects = pulumi.Config().get_object("projects")
if projects:
    fleet = agent_log_config.AgentLogConfigs(
        "fleet",
        projects=projects,
        agents=[agent_log_config.AgentKind.MONITORING],
        when_unavailable="useRecorded",
    )
    # The keys come in another order in each run, so the list is sorted. Otherwise each preview would show a change.
    paths = fleet.configs.apply(lambda configs: [configs[key].log_path for key in sorted(configs)])
    pulumi.export("fleetLogs", paths)

# Read in every run; the state holds it only where resources or stack outputs use it.
backup = agent_log_config.get_agent_log_config_output(
    project_id=project_id,
    agent=agent_log_config.AgentKind.BACKUP,
)

pulumi.export("monitoringLog", monitoring.log_path)
pulumi.export(
    "monitoringRotatesAtMB",
    monitoring.log_rotate.apply(lambda thresholds: thresholds.size_threshold_mb),
)
pulumi.export("backupLog", backup.log_path)
