/** The operator's settings for the use of the network and the disk; read once at start. */
export type DestinationEnvironment = {
  /** Root of the LocalFile destination; if undefined, the type does not exist. */
  localRoot: string | undefined;
  /** Limit of the files of one project there, in MiB; absent for no limit. */
  localQuotaMb?: number | undefined;
  /** Mode of files there, as in `open(2)`; `DEFAULT_FILE_MODE` if absent. */
  localFileMode?: number | undefined;
  /** Private hosts, addresses and ranges that the operator allows. */
  allowedHosts: readonly string[];
};
