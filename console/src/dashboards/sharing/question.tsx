/** A question before a change of sharing that cannot be undone. */
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import styles from './sharing.module.css';

type QuestionProps = {
  title: string;
  /** Says what stops working, and for whom. */
  children: ReactNode;
  /** Text of the button that does it. */
  action: string;
  request: Pick<UseMutationResult, 'error' | 'isPending'>;
  onConfirm: () => void;
  onClose: () => void;
};

export function Question({ title, children, action, request, onConfirm, onClose }: QuestionProps) {
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <p>{children}</p>
      {request.error && (
        <p role="alert" className={styles.error}>
          {messageOf(request.error)}
        </p>
      )}
      <Actions>
        <Button kind="danger" isPending={request.isPending} onPress={onConfirm}>
          {action}
        </Button>
        <Button kind="quiet" onPress={onClose}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}
