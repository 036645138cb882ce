/** Asks why an export is paused, and until when, to show both to later viewers. */
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Form } from 'react-aria-components';
import { api, ApiError, done, messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import { TextField } from '../../look/field.tsx';
import { Select } from '../../look/select.tsx';
import { viewerZone } from '../../look/time.tsx';

type Props = { projectId: number; exportId: string; name: string; onDone: () => Promise<void>; onClose: () => void };

const HOUR = 3_600_000;
const MORNING = 9;

/** Choices whose instant is found when the pause begins; `at` is typed. */
const RESUMES = [
  { value: 'never', label: 'When somebody unpauses it' },
  { value: 'hour', label: 'In an hour' },
  { value: 'tomorrow', label: 'Tomorrow at 09:00' },
  { value: 'monday', label: 'Monday at 09:00' },
  { value: 'at', label: 'At another time' },
];

export function PauseDialog({ projectId, exportId, name, onDone, onClose }: Props) {
  const [reason, setReason] = useState('');
  const [resumes, setResumes] = useState('never');
  const [at, setAt] = useState('');
  const pause = useMutation({
    mutationFn: () =>
      done(
        api.POST('/api/environments/{project_id}/batch_exports/{id}/pause/', {
          params: { path: { project_id: projectId, id: exportId } },
          body: { reason: reason.trim() || null, resume_at: resumeAt(resumes, at) },
        }),
      ),
    async onSuccess() {
      onClose();
      await onDone();
    },
  });
  const attr = pause.error instanceof ApiError ? pause.error.attr : null;
  const errorAt = (field: string) => (attr === field ? messageOf(pause.error) : undefined);
  return (
    <Dialog title={`Pause ${name}`} isOpen onClose={onClose}>
      <Form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          pause.mutate();
        }}
      >
        <p>Runs in progress go on; no other starts by itself until the export is unpaused.</p>
        <TextField
          label="Reason"
          description="For everybody who looks at this export."
          placeholder="migration"
          value={reason}
          onChange={setReason}
          maxLength={400}
          error={errorAt('reason')}
          autoFocus
        />
        <Select
          label="Resumes"
          options={RESUMES}
          value={resumes}
          onChange={setResumes}
          error={resumes === 'at' ? undefined : errorAt('resume_at')}
        />
        {resumes === 'at' && (
          <TextField
            label={`Time (${viewerZone})`}
            type="datetime-local"
            value={at}
            onChange={setAt}
            isRequired
            error={errorAt('resume_at')}
          />
        )}
        {pause.isError && attr !== 'reason' && attr !== 'resume_at' && <p role="alert">{messageOf(pause.error)}</p>}
        <Actions>
          <Button kind="primary" type="submit" isPending={pause.isPending}>
            Pause
          </Button>
          <Button kind="quiet" onPress={onClose}>
            Cancel
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}

/** @param typed from an input for local times @returns ISO; null: never automatically */
function resumeAt(choice: string, typed: string): string | null {
  if (choice === 'never') return null;
  if (choice === 'hour') return new Date(Date.now() + HOUR).toISOString();
  if (choice === 'at') return Number.isNaN(Date.parse(typed)) ? typed : new Date(typed).toISOString();
  const day = new Date();
  day.setDate(day.getDate() + (choice === 'tomorrow' ? 1 : (8 - day.getDay()) % 7 || 7));
  day.setHours(MORNING, 0, 0, 0);
  return day.toISOString();
}
