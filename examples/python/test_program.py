import runpy
import unittest
from typing import Any

import pulumi

SETTINGS = {"logPath": "/var/log/agent.log", "logRotate": {"sizeThresholdMB": 500}}


class Plugin(pulumi.runtime.Mocks):
    """Stands for the plugin: it reads nothing, and does not judge `expect`."""

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str, dict[str, Any]]:
        return f"{args.inputs['projectId']}/{args.inputs['agent']}", {**args.inputs, **SETTINGS}

    def call(self, args: pulumi.runtime.MockCallArgs) -> tuple[dict[str, Any], list[tuple[str, str]]]:
        return {**args.args, **SETTINGS}, []


pulumi.runtime.set_mocks(Plugin(), project="python")
pulumi.runtime.set_all_config({"python:projectId": "0123456789abcdef01234567"})


class ProgramTest(unittest.TestCase):
    @pulumi.runtime.test
    def test_reads_both_agents_of_the_project(self) -> pulumi.Output[None]:
        program = runpy.run_path("__main__.py")
        monitoring, backup = program["monitoring"], program["backup"]
        threshold = monitoring.log_rotate.apply(lambda thresholds: thresholds.size_threshold_mb)
        found = pulumi.Output.all(monitoring.id, threshold, backup.agent)
        expected = ["0123456789abcdef01234567/monitoring", 500, "backup"]
        return found.apply(lambda values: self.assertEqual(values, expected))
