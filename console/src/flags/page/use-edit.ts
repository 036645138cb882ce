/** Unsaved changes of a flag. */
import { useState } from 'react';
import type { Flag } from '../flags-data.ts';
import { changesBetween, type ChangeLine } from '../words/changes.ts';
import type { Filters } from '../words/conditions.ts';
import { differences, fieldsOf, type Fields } from '../words/fields.ts';

export type Edit = {
  /** The flag when the edit began. The server compares its present flag with this. */
  base: Flag;
  fields: Fields;
  changes: ChangeLine[];
  isDirty: boolean;
  /** Changes whenever something other than an input sets the fields, so that inputs begin anew. */
  inputKey: number;
  set(change: Partial<Fields>): void;
  setFilters(change: Partial<Filters>): void;
  /** @param base the flag before the edit @param fields the new values */
  begin(base: Flag, fields: Fields): void;
  discard(): void;
  /** Body of a PATCH, which the server refuses if another person has changed the same fields meanwhile. */
  patch(): Partial<Fields> & { version: number; original_flag: Record<string, unknown> };
};

export function useEdit(flag: Flag): Edit {
  const [edited, setEdited] = useState<{ base: Flag; fields: Fields }>();
  const [inputKey, setOrigin] = useState(0);
  const base = edited?.base ?? flag;
  const fields = edited?.fields ?? fieldsOf(flag);
  const changes = edited ? changesBetween(fieldsOf(base), fields) : [];
  const set = (change: Partial<Fields>) => setEdited({ base, fields: { ...fields, ...change } });
  return {
    base,
    fields,
    changes,
    isDirty: changes.length > 0,
    inputKey,
    set,
    setFilters: (change) => set({ filters: { ...fields.filters, ...change } }),
    begin(newBase, newFields) {
      setEdited({ base: newBase, fields: newFields });
      setOrigin(inputKey + 1);
    },
    discard() {
      setEdited(undefined);
      setOrigin(inputKey + 1);
    },
    patch: () => ({
      ...differences(fieldsOf(base), fields),
      version: base.version,
      original_flag: { ...fieldsOf(base) },
    }),
  };
}
