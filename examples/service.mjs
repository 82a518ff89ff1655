// A stand-in of the service with two projects, on port 8080 or the one that the command names.

const [projectId, otherId] = ["0123456789abcdef01234567", "0123456789abcdef01234568"];
const settingsOf = (agent, sizeThresholdMB) => ({
  logPath: `/var/log/agents/${agent}-agent.log`,
  logPathWindows: `%SystemDrive%\\agents\\${agent}-agent.log`,
  logRotate: { sizeThresholdMB, timeThresholdHrs: 24 },
});

const stop = (message) => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};
// On an older Node.js this import says which version it needs.
const { startService } = await import("pulumi-agent-log-config/testing").catch(({ message }) => stop(message));
const port = Number(process.argv[2] ?? 8080);
const service = await startService({ port }).catch(({ message }) =>
  stop(`The service did not start: ${message}. Name another port, such as ${port + 1}, behind the command.`),
);
for (const id of [projectId, otherId]) {
  for (const agent of ["monitoring", "backup"]) service.set(id, agent, settingsOf(agent, 1000));
}
process.stdout.write(`The service listens at ${service.baseUrl} until you press Ctrl+C.
Press Enter to change the monitoring agent's threshold from 1000 MB to 500 MB, and again to change it back.
`);
let sizeThresholdMB = 1000;
process.stdin.on("data", () => {
  sizeThresholdMB = sizeThresholdMB === 1000 ? 500 : 1000;
  service.set(projectId, "monitoring", settingsOf("monitoring", sizeThresholdMB));
  process.stdout.write(`The monitoring agent rotates its log at ${sizeThresholdMB} MB.\n`);
});
