package main

import (
	"maps"
	"slices"

	"example.com/pulumi-agent-log-config/sdk/go/agentlogconfig"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		logs, err := readLogs(ctx, config.Require(ctx, "projectId"))
		if err != nil {
			return err
		}
		paths, err := recordFleet(ctx)
		if err != nil {
			return err
		}
		ctx.Export("monitoringLog", logs.monitoring.LogPath)
		ctx.Export("monitoringRotatesAtMB", logs.monitoring.LogRotate.SizeThresholdMB())
		ctx.Export("backupLog", logs.backup.LogPath())
		ctx.Export("fleetLogs", paths)
		return nil
	})
}

type agentLogs struct {
	monitoring *agentlogconfig.AgentLogConfig
	backup     agentlogconfig.LookupAgentLogConfigResultOutput
}

func readLogs(ctx *pulumi.Context, projectId string) (*agentLogs, error) {
	// Recorded in the state: the next preview shows what somebody has changed in the service.
	monitoring, err := agentlogconfig.NewAgentLogConfig(ctx, "monitoring", &agentlogconfig.AgentLogConfigArgs{
		ProjectId: pulumi.String(projectId),
		Agent:     agentlogconfig.AgentKindMonitoring,
	})
	if err != nil {
		return nil, err
	}

	// Read in every run; the state holds it only where resources or stack outputs use it. GetAgentLogConfig is the get of a resource.
	backup := agentlogconfig.LookupAgentLogConfigOutput(ctx, agentlogconfig.LookupAgentLogConfigOutputArgs{
		ProjectId: pulumi.String(projectId),
		Agent:     agentlogconfig.AgentKindBackup,
	})
	return &agentLogs{monitoring, backup}, nil
}

// recordFleet makes one resource of many projects, with one record. Its provider reads all of them at the same time. It returns
// the paths of their logs.
func recordFleet(ctx *pulumi.Context) (pulumi.StringArrayOutput, error) {
	var projects map[string]string
	if err := config.GetObject(ctx, "projects", &projects); err != nil || len(projects) == 0 {
		return pulumi.StringArray{}.ToStringArrayOutput(), err
	}
	fleet, err := agentlogconfig.NewAgentLogConfigs(ctx, "fleet", &agentlogconfig.AgentLogConfigsArgs{
		Projects:        pulumi.ToStringMap(projects),
		Agents:          pulumi.StringArray{agentlogconfig.AgentKindMonitoring},
		WhenUnavailable: pulumi.String("useRecorded"),
	})
	if err != nil {
		return pulumi.StringArrayOutput{}, err
	}
	// The keys come in another order in each run, so the list is sorted. Otherwise each preview would show a change.
	return fleet.Configs.ApplyT(func(configs map[string]agentlogconfig.FleetSettings) []string {
		var paths []string
		for _, key := range slices.Sorted(maps.Keys(configs)) {
			paths = append(paths, configs[key].LogPath)
		}
		return paths
	}).(pulumi.StringArrayOutput), nil
}
