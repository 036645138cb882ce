/** A store of files as any reader sees it. */
import path from 'node:path';
import type { Place } from './fleet.ts';

/** The bucket at versitygw. */
export const BUCKET = 'chaos';

export type Store = {
  /** Keys of the manifests at a place. */
  manifests(place: Place): Promise<string[]>;
  /** undefined: there is no such object. */
  get(key: string): Promise<Buffer | undefined>;
};

export const isManifest = (key: string) => key.endsWith('_manifest.json') && !path.basename(key).startsWith('.');
