/** A project's flags in memory. */
import type { CompiledFlags } from '../evaluation/compile.ts';
import type { Snapshot } from './stored-definitions.ts';

/** One version of a project; a change creates a new object. */
export type ProjectFlags = Snapshot & {
  compiled: CompiledFlags;
};
