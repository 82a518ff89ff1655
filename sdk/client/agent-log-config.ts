/** The two agents whose settings the service knows (contract, section 2). */
export type Agent = "monitoring" | "backup";

/** Thresholds after which the agent rotates its log (contract, section 2.1); each is absent where the service has none. */
export interface LogRotate {
  /** Maximum size of a log file, in megabytes; may be fractional. */
  readonly sizeThresholdMB: number | undefined;
  /** Hours after which the log is rotated, whichever way the service spells it; may be fractional. */
  readonly timeThresholdHrs: number | undefined;
  /** Log files that are kept without compression. */
  readonly numUncompressed: number | undefined;
  /** Share of the disk that all log files may take, from 0 to 1. */
  readonly percentOfDiskspace: number | undefined;
  /** Log files that are kept in all; 0 for no limit. */
  readonly numTotal: number | undefined;
}

/** The version that the service gives of itself (contract, section 9); each part is undefined where it can't be read. */
export interface ServiceVersion {
  /** The commit that the service was built from, mostly 40 hexadecimal digits. */
  readonly gitHash: string | undefined;
  /** The service's release, such as `7.0.11.100.20260115T1200Z`. */
  readonly versionString: string | undefined;
}

/** The settings as the body of the service gives them (contract, section 2.1). */
export interface AgentLogSettings {
  /** Absolute path of the agent's log file; without it the agent writes to standard error. */
  readonly logPath: string | undefined;
  /** The same for Windows hosts, usually with `%SystemDrive%`. */
  readonly logPathWindows: string | undefined;
  /** Thresholds after which the agent rotates its log. */
  readonly logRotate: LogRotate | undefined;
  /** The database user that manages the agent's logs, or an X.509 subject. */
  readonly username: string | undefined;
  /** Settings that differ from the agent's own. They may hold credentials: treat all of them as secret. */
  readonly configOverrides: Readonly<Record<string, unknown>> | undefined;
}

/** The log settings of one agent of one project. */
export interface AgentLogConfigResult extends AgentLogSettings {
  /** `<projectId>/<agent>` */
  readonly id: string;
  /** As it was given, 24 hexadecimal digits. */
  readonly projectId: string;
  /** Whose settings they are. */
  readonly agent: Agent;
  /** undefined where the service does not say. */
  readonly serviceVersion: ServiceVersion | undefined;
}
