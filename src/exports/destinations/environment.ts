/** How the network and the disk may be used; made once at start. */
export type DestinationEnvironment = {
  /** Root of the LocalFile destination; undefined: the type does not exist. */
  localRoot: string | undefined;
  /** MiB that the files of one project may take there; absent: no limit. */
  localQuotaMb?: number | undefined;
  /** Rights of files there, as in `open(2)`; absent: `DEFAULT_FILE_MODE`. */
  localFileMode?: number | undefined;
  /** Private hosts, addresses and ranges that the operator allows. */
  allowedHosts: readonly string[];
};
