/** A destination's acknowledgement of a delivery. */
import type { RowsDigest } from '../../conditions/rows/columns.ts';

export type DeliveredFile = {
  /** Object key, or path below the export root. */
  key: string;
  rows: number;
  /** Size and sha256 (hex) of the object as stored. */
  bytes: number;
  sha256: string;
  /** sha256 (hex) of the uncompressed content: equal content is left alone when it is delivered again. */
  content_sha256: string;
  /** Identifies the upload that made the object, in the store's own way, so a stale writer's object differs. */
  identity: string;
  /** The store's own checksum of the object; null if it keeps none, so reading back downloads the object. */
  checksum: string | null;
  /** The event of all its rows, null for the events that the plan does not name; absent if it may hold any. */
  event?: string | null;
};

/** A destination's acknowledgement; stored with the run, returned by the API, checked by `sluice verify`. */
export type Receipt = {
  rows: number;
  digest: RowsDigest;
  bytes: number;
  /** Where the delivery went, for a person: `s3://bucket/prefix/…`, `schema.table`. No host, no credential. */
  location: string;
  epoch: number;
  cutoff: string;
  /** Files of the delivery; absent for tables. */
  files?: DeliveredFile[];
  manifest?: string;
  /** The run that delivered; null or absent for deliveries from before destinations stored the run. */
  run_id?: string | null;
  /** Timeline of the database that delivered it; null or absent as for `run_id`. */
  timeline?: string | null;
  /** Set on a delivery found at a destination whose commit was interrupted, so readers ignore it. Never set on our own deliveries. */
  interrupted?: true;
};
