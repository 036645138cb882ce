/** Asks why exports are paused, and until when, to show both to later viewers. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrorOf } from '../../api/client.ts';
import { FormDialog } from '../../look/dialog.tsx';
import { TextField } from '../../look/field.tsx';
import { Select } from '../../look/select.tsx';
import { instantOf, viewerZone } from '../../look/time.tsx';
import type { PauseRequest } from './export-data.ts';

type Props = {
  /** The name of the export, or the number of exports. */
  what: string;
  pause: (notes: PauseRequest) => Promise<unknown>;
  onClose: () => void;
};

const HOUR = 3_600_000;
const MORNING = 9;

/** Choices of when the export resumes, computed when the form is sent; for `at` the user types the instant. */
const RESUMES = [
  { value: 'never', label: 'When somebody unpauses it' },
  { value: 'hour', label: 'In an hour' },
  { value: 'tomorrow', label: 'Tomorrow at 09:00' },
  { value: 'monday', label: 'Monday at 09:00' },
  { value: 'at', label: 'At another time' },
];

const FIELDS = ['reason', 'resume_at'];

export function PauseDialog({ what, pause, onClose }: Props) {
  const [reason, setReason] = useState('');
  const [resumes, setResumes] = useState('never');
  const [at, setAt] = useState('');
  const request = useMutation({
    mutationFn: () => pause({ reason: reason.trim() || null, resume_at: resumeAt(resumes, at) }),
    onSuccess: onClose,
  });
  const timeError = fieldErrorOf(request.error, 'resume_at');
  return (
    <FormDialog
      title={`Pause ${what}`}
      action="Pause"
      request={request}
      fields={FIELDS}
      onSubmit={() => request.mutate()}
      onClose={onClose}
    >
      <p>
        Runs in progress and requested deliveries go on; no other starts by itself until{' '}
        {resumes === 'never' ? 'somebody unpauses' : 'then'}.
      </p>
      <TextField
        label="Reason"
        description="For everybody who looks at the export."
        placeholder="migration"
        value={reason}
        onChange={setReason}
        maxLength={400}
        error={fieldErrorOf(request.error, 'reason')}
        autoFocus
      />
      <Select
        label="Resumes"
        options={RESUMES}
        value={resumes}
        onChange={setResumes}
        error={resumes === 'at' ? undefined : timeError}
      />
      {resumes === 'at' && (
        <TextField
          label={`Time (${viewerZone})`}
          type="datetime-local"
          value={at}
          onChange={setAt}
          isRequired
          error={timeError}
        />
      )}
    </FormDialog>
  );
}

/** @param typed from an input for local times @returns ISO; null: never automatically */
function resumeAt(choice: string, typed: string): string | null {
  if (choice === 'never') return null;
  if (choice === 'hour') return new Date(Date.now() + HOUR).toISOString();
  if (choice === 'at') return instantOf(typed) ?? typed;
  const day = new Date();
  day.setDate(day.getDate() + (choice === 'tomorrow' ? 1 : (8 - day.getDay()) % 7 || 7));
  day.setHours(MORNING, 0, 0, 0);
  return day.toISOString();
}
