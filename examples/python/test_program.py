import json
import runpy
import unittest
from typing import Any

import pulumi
import pulumi_agent_log_config as agent_log_config

ORDERS = "0123456789abcdef01234567"
BILLING = "0123456789abcdef01234568"


def settings_of(project_id: str, agent: str) -> dict[str, Any]:
    log_path = f"/var/log/{project_id}/{agent}.log"
    return {"projectId": project_id, "agent": agent, "logPath": log_path, "logRotate": {"sizeThresholdMB": 500}}


class Plugin(pulumi.runtime.Mocks):
    """Stands for the plugin: it reads nothing, and does not judge `expect`."""

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        if args.typ == "agent-log-config:index:AgentLogConfig":
            # `get` has an id and no inputs.
            resource_id = args.resource_id or f"{args.inputs['projectId']}/{args.inputs['agent']}"
            return resource_id, settings_of(*resource_id.split("/"))
        if args.typ == "agent-log-config:index:AgentLogConfigs":
            configs = {
                f"{name}/{agent}": {**settings_of(project_id, agent), "name": name}
                for name, project_id in args.inputs["projects"].items()
                for agent in args.inputs.get("agents", ["monitoring", "backup"])
            }
            return "fleet", {"configs": configs}
        return args.name, args.inputs  # such as a provider

    def call(self, args: pulumi.runtime.MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        return settings_of(args.args["projectId"], args.args["agent"]), []


pulumi.runtime.set_mocks(Plugin(), project="python")
projects = {"orders": ORDERS, "billing": BILLING}
pulumi.runtime.set_all_config({"python:projectId": ORDERS, "python:projects": json.dumps(projects)})


class ProgramTest(unittest.TestCase):
    @pulumi.runtime.test
    def test_reads_both_agents_of_the_project(self) -> pulumi.Output[None]:
        program = runpy.run_path("__main__.py")
        monitoring, backup = program["monitoring"], program["backup"]
        threshold = monitoring.log_rotate.apply(lambda thresholds: thresholds.size_threshold_mb)
        found = pulumi.Output.all(monitoring.id, threshold, backup.agent)
        expected = [f"{ORDERS}/monitoring", 500, "backup"]
        return found.apply(lambda values: self.assertEqual(values, expected))

    @pulumi.runtime.test
    def test_lists_the_logs_of_the_fleet_in_the_order_of_its_names(self) -> pulumi.Output[None]:
        paths = runpy.run_path("__main__.py")["paths"]
        expected = [f"/var/log/{BILLING}/monitoring.log", f"/var/log/{ORDERS}/monitoring.log"]
        return paths.apply(lambda found: self.assertEqual(found, expected))

    @pulumi.runtime.test
    def test_adopts_settings_with_a_provider(self) -> pulumi.Output[None]:
        west = agent_log_config.Provider("west", public_key="publickey")
        opts = pulumi.ResourceOptions(provider=west)
        only_read = agent_log_config.AgentLogConfig.get("only-read", f"{BILLING}/backup", opts=opts)
        return only_read.log_path.apply(lambda path: self.assertEqual(path, f"/var/log/{BILLING}/backup.log"))
