package main

import (
	"example.com/pulumi-agent-log-config/sdk/go/agentlogconfig"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		projectId := config.Require(ctx, "projectId")

		// Recorded in the state: the next preview shows what somebody has changed in the service.
		monitoring, err := agentlogconfig.NewAgentLogConfig(ctx, "monitoring", &agentlogconfig.AgentLogConfigArgs{
			ProjectId: pulumi.String(projectId),
			Agent:     agentlogconfig.AgentKindMonitoring,
		})
		if err != nil {
			return err
		}

		// Read in every run; the state holds it only where resources or stack outputs use it. GetAgentLogConfig adopts a resource.
		backup := agentlogconfig.LookupAgentLogConfigOutput(ctx, agentlogconfig.LookupAgentLogConfigOutputArgs{
			ProjectId: pulumi.String(projectId),
			Agent:     agentlogconfig.AgentKindBackup,
		})

		ctx.Export("monitoringLog", monitoring.LogPath)
		ctx.Export("monitoringRotatesAtMB", monitoring.LogRotate.SizeThresholdMB())
		ctx.Export("backupLog", backup.LogPath())
		return nil
	})
}
