package main

import (
	"example.com/pulumi-agent-log-config/sdk/go/agentlogconfig"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

// recordFleet makes one resource of many projects, which reads all of them at once and has a record for each.
func recordFleet(ctx *pulumi.Context) error {
	var projects map[string]string
	if err := config.GetObject(ctx, "projects", &projects); err != nil || len(projects) == 0 {
		return err
	}
	_, err := agentlogconfig.NewAgentLogConfigs(ctx, "fleet", &agentlogconfig.AgentLogConfigsArgs{
		Projects:        pulumi.ToStringMap(projects),
		Agents:          pulumi.StringArray{agentlogconfig.AgentKindMonitoring},
		WhenUnavailable: pulumi.String("useRecorded"),
	})
	return err
}
