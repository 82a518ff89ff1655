package main

import (
	"fmt"
	"maps"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Stands for the plugin: it reads nothing, and does not judge Expect.
type plugin struct{}

func settingsFor(args resource.PropertyMap) resource.PropertyMap {
	settings := maps.Clone(args)
	settings["logPath"] = resource.NewProperty("/var/log/agent.log")
	settings["logRotate"] = resource.NewProperty(resource.PropertyMap{"sizeThresholdMB": resource.NewProperty(500.0)})
	return settings
}

func (plugin) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	id := args.Inputs["projectId"].StringValue() + "/" + args.Inputs["agent"].StringValue()
	return id, settingsFor(args.Inputs), nil
}

func (plugin) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) {
	return settingsFor(args.Args), nil
}

func TestReadsBothAgentsOfTheProject(t *testing.T) {
	err := pulumi.RunErr(func(ctx *pulumi.Context) error {
		logs, err := readLogs(ctx, "0123456789abcdef01234567")
		if err != nil {
			return err
		}
		found := pulumi.All(logs.monitoring.ID(), logs.monitoring.LogRotate.SizeThresholdMB(), logs.backup.Agent())
		found.ApplyT(func(values []any) error {
			threshold, _ := values[1].(*float64)
			if values[0] != pulumi.ID("0123456789abcdef01234567/monitoring") || threshold == nil || *threshold != 500 {
				t.Errorf("the monitoring agent has %v", values)
			}
			if fmt.Sprint(values[2]) != "backup" {
				t.Errorf("the other agent is %v", values[2])
			}
			return nil
		})
		return nil
	}, pulumi.WithMocks("go", "dev", plugin{}))
	if err != nil {
		t.Fatal(err)
	}
}
