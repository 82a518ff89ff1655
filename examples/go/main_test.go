package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/pulumi-agent-log-config/sdk/go/agentlogconfig"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

const (
	orders  = "0123456789abcdef01234567"
	billing = "0123456789abcdef01234568"
)

// Stands for the plugin: it reads nothing, and does not judge Expect.
type plugin struct{}

func settingsOf(id string) resource.PropertyMap {
	projectId, agent, _ := strings.Cut(id, "/")
	return resource.PropertyMap{
		"projectId": resource.NewProperty(projectId),
		"agent":     resource.NewProperty(agent),
		"logPath":   resource.NewProperty("/var/log/" + id + ".log"),
		"logRotate": resource.NewProperty(resource.PropertyMap{"sizeThresholdMB": resource.NewProperty(500.0)}),
	}
}

func idOf(args resource.PropertyMap) string {
	return args["projectId"].StringValue() + "/" + args["agent"].StringValue()
}

func (plugin) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	switch args.TypeToken {
	case "agent-log-config:index:AgentLogConfig":
		if args.ID != "" { // GetAgentLogConfig has an id and no inputs.
			return args.ID, settingsOf(args.ID), nil
		}
		return idOf(args.Inputs), settingsOf(idOf(args.Inputs)), nil
	case "agent-log-config:index:AgentLogConfigs":
		configs := resource.PropertyMap{}
		for name, projectId := range args.Inputs["projects"].ObjectValue() {
			for _, agent := range args.Inputs["agents"].ArrayValue() {
				settings := settingsOf(projectId.StringValue() + "/" + agent.StringValue())
				configs[name+"/"+resource.PropertyKey(agent.StringValue())] = resource.NewProperty(settings)
			}
		}
		return "fleet", resource.PropertyMap{"configs": resource.NewProperty(configs)}, nil
	default: // such as a provider
		return args.Name, args.Inputs, nil
	}
}

func (plugin) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	return settingsOf(idOf(args.Args)), nil
}

// runTest runs what a test declares and asserts, with the plugin's mocks.
func runTest(t *testing.T, program pulumi.RunFunc) {
	t.Helper()
	if err := pulumi.RunErr(program, pulumi.WithMocks("go", "dev", plugin{})); err != nil {
		t.Fatal(err)
	}
}

func TestReadsBothAgentsOfTheProject(t *testing.T) {
	runTest(t, func(ctx *pulumi.Context) error {
		logs, err := readLogs(ctx, orders)
		if err != nil {
			return err
		}
		found := pulumi.All(logs.monitoring.ID(), logs.monitoring.LogRotate.SizeThresholdMB(), logs.backup.Agent())
		found.ApplyT(func(values []any) error {
			threshold, _ := values[1].(*float64)
			if values[0] != pulumi.ID(orders+"/monitoring") || threshold == nil || *threshold != 500 {
				t.Errorf("the monitoring agent has %v", values)
			}
			if fmt.Sprint(values[2]) != "backup" {
				t.Errorf("the other agent is %v", values[2])
			}
			return nil
		})
		return nil
	})
}

func TestListsTheLogsOfTheFleetInTheOrderOfItsNames(t *testing.T) {
	t.Setenv(pulumi.EnvConfig, `{"go:projects": "{\"orders\": \"`+orders+`\", \"billing\": \"`+billing+`\"}"}`)
	runTest(t, func(ctx *pulumi.Context) error {
		paths, err := recordFleet(ctx)
		if err != nil {
			return err
		}
		paths.ApplyT(func(found []string) error {
			expected := []string{"/var/log/" + billing + "/monitoring.log", "/var/log/" + orders + "/monitoring.log"}
			if !slices.Equal(found, expected) {
				t.Errorf("the logs are %v", found)
			}
			return nil
		})
		return nil
	})
}

func TestGetsSettingsWithAProvider(t *testing.T) {
	runTest(t, func(ctx *pulumi.Context) error {
		args := &agentlogconfig.ProviderArgs{PublicKey: pulumi.String("publickey")}
		west, err := agentlogconfig.NewProvider(ctx, "west", args)
		if err != nil {
			return err
		}
		id := pulumi.ID(billing + "/backup")
		backup, err := agentlogconfig.GetAgentLogConfig(ctx, "backup", id, nil, pulumi.Provider(west))
		if err != nil {
			return err
		}
		backup.LogPath.ApplyT(func(path string) error {
			if path != "/var/log/"+billing+"/backup.log" {
				t.Errorf("the log of the backup agent is %v", path)
			}
			return nil
		})
		return nil
	})
}
