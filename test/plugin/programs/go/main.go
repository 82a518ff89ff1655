package main

import (
	"strings"

	"example.com/pulumi-agent-log-config/sdk/go/agentlogconfig"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		projectId := pulumi.String("0123456789abcdef01234567")
		agent := config.Get(ctx, "agent")
		if agent == "" {
			agent = "monitoring"
		}

		// It takes what it lacks from the configuration of the stack.
		west, err := agentlogconfig.NewProvider(ctx, "west", &agentlogconfig.ProviderArgs{
			PublicKey:  pulumi.String("publickey"),
			MaxRetries: pulumi.Int(0),
		})
		if err != nil {
			return err
		}
		monitoring, err := agentlogconfig.NewAgentLogConfig(ctx, "monitoring", &agentlogconfig.AgentLogConfigArgs{
			ProjectId: projectId,
			Agent:     pulumi.String(agent),
		})
		if err != nil {
			return err
		}
		_, err = agentlogconfig.NewAgentLogConfig(ctx, "ignored", &agentlogconfig.AgentLogConfigArgs{
			ProjectId: projectId,
			Agent:     agentlogconfig.AgentKindMonitoring,
		}, pulumi.Provider(west), pulumi.IgnoreChanges([]string{"logRotate"}))
		if err != nil {
			return err
		}
		_, err = agentlogconfig.NewAgentLogConfig(ctx, "watched", &agentlogconfig.AgentLogConfigArgs{
			ProjectId: projectId,
			Agent:     agentlogconfig.AgentKindBackup,
			Expect: agentlogconfig.ExpectedSettingsArgs{
				NotSet: pulumi.StringArray{pulumi.String("logRotate.numTotal")},
			},
			WhenUnexpected:  agentlogconfig.WhenUnexpectedWarn,
			WhenUnavailable: agentlogconfig.WhenUnavailableUseRecorded,
		})
		if err != nil {
			return err
		}
		deleted, err := agentlogconfig.NewAgentLogConfig(ctx, "deleted", &agentlogconfig.AgentLogConfigArgs{
			ProjectId: pulumi.String(strings.Repeat("f", 24)),
			Agent:     agentlogconfig.AgentKindBackup,
		})
		if err != nil {
			return err
		}
		backup := agentlogconfig.LookupAgentLogConfigOutput(ctx, agentlogconfig.LookupAgentLogConfigOutputArgs{
			ProjectId: projectId,
			Agent:     agentlogconfig.AgentKindBackup,
		})

		ctx.Export("monitoringLog", monitoring.LogPath)
		ctx.Export("deletedLog", deleted.LogPath)
		ctx.Export("backupLog", backup.LogPath())
		ctx.Export("westKey", west.PublicKey)
		return nil
	})
}
