import { useState } from 'react';
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import { TextField } from '../../look/field.tsx';
import type { Filters } from '../words/conditions.ts';
import { isObject } from '../words/equal.ts';
import type { Edit } from './use-edit.ts';

/** Edits a flag's filters as JSON: also cohorts, the order of sets, new variants and all else without fields. The server validates them on save. */
export function JsonEditor({ edit, onClose }: { edit: Edit; onClose: () => void }) {
  const [shown] = useState(() => JSON.stringify(edit.fields.filters, null, 2));
  const [text, setText] = useState(shown);
  const [error, setError] = useState<string>();
  /** Whether Escape or a click outside would have closed the dialog, and lost its unsaved text. */
  const [isAsked, setAsked] = useState(false);
  const leave = () => (text === shown ? onClose() : setAsked(true));
  function use() {
    try {
      const filters = parseFilters(text);
      edit.begin(edit.base, { ...edit.fields, filters });
      onClose();
    } catch (problem) {
      setError((problem as Error).message);
    }
  }
  return (
    <Dialog title={`Filters of ${edit.base.key}`} isOpen onClose={leave} width="wide">
      <TextField
        label="JSON"
        description="The condition sets are in groups; the first set that matches decides. See docs/feature-flags.md for conditions."
        value={text}
        onChange={(next) => {
          setText(next);
          setError(undefined);
          setAsked(false);
        }}
        error={error}
        lines={20}
        mono
        autoFocus
      />
      {isAsked && <p role="alert">What you typed is not part of your edit yet.</p>}
      <Actions>
        <Button kind="primary" onPress={use}>
          Use it in my edit
        </Button>
        <Button kind={isAsked ? 'danger' : 'quiet'} onPress={onClose}>
          {isAsked ? 'Drop what I typed' : 'Cancel'}
        </Button>
      </Actions>
    </Dialog>
  );
}

/** @throws Error with a message for the author */
function parseFilters(text: string): Filters {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not JSON. ${placeIn(text, (error as Error).message)}`, { cause: error });
  }
  if (!isObject(value)) throw new Error('Filters are an object: { "groups": […] }.');
  if (value['groups'] !== undefined && !Array.isArray(value['groups']))
    throw new Error('groups is a list of condition sets.');
  return value as Filters;
}

/** @returns the browser's message, with the line before it if the message names only a position */
function placeIn(text: string, message: string): string {
  const position = /position (\d+)/.exec(message)?.[1];
  if (position === undefined || /line \d+/.test(message)) return message;
  return `Line ${text.slice(0, Number(position)).split('\n').length}: ${message}`;
}
