package agentlogs;

import com.example.agentlogconfig.AgentLogConfig;
import com.example.agentlogconfig.AgentLogConfigArgs;
import com.example.agentlogconfig.AgentlogconfigFunctions;
import com.example.agentlogconfig.enums.AgentKind;
import com.example.agentlogconfig.inputs.GetAgentLogConfigArgs;
import com.example.agentlogconfig.outputs.LogRotate;
import com.pulumi.Pulumi;

public class App {
    public static void main(String[] args) {
        Pulumi.run(context -> {
            var projectId = context.config().require("projectId");

            // Recorded in the state: the next preview shows what somebody has changed in the service.
            var monitoring = new AgentLogConfig("monitoring", AgentLogConfigArgs.builder()
                .projectId(projectId)
                .agent(AgentKind.Monitoring)
                .build());

            // Read in every run; the state holds it only where resources or stack outputs use it.
            var backup = AgentlogconfigFunctions.getAgentLogConfig(GetAgentLogConfigArgs.builder()
                .projectId(projectId)
                .agent(AgentKind.Backup)
                .build());

            context.export("monitoringLog", monitoring.logPath());
            context.export("monitoringRotatesAtMB", monitoring.logRotate()
                .applyValue(LogRotate::sizeThresholdMB));
            context.export("backupLog", backup.applyValue(settings -> settings.logPath()));
        });
    }
}
