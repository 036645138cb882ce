/** A dialog over the page. Escape and a click outside close it, unless `isRequired`. */
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { fieldErrorOf, messageOf } from '../api/client.ts';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { Form } from './edits/form.tsx';

export type DialogProps = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** Whether only its own buttons close it. */
  isDismissedByButtonsOnly?: boolean;
  width?: 'narrow' | 'wide';
};

export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  isDismissedByButtonsOnly = false,
  width = 'narrow',
}: DialogProps) {
  return (
    <ModalOverlay
      className={styles.overlay!}
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={!isDismissedByButtonsOnly}
      isKeyboardDismissDisabled={isDismissedByButtonsOnly}
    >
      <Modal className={`${styles.modal} ${styles[width]}`}>
        <AriaDialog className={styles.dialog!}>
          <Heading slot="title" className={styles.title!}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The row of buttons at the end of a dialog or a form. */
export function Actions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}

export type FormDialogProps = {
  title: string;
  /** Text of the button that sends the request. */
  action: string;
  kind?: 'primary' | 'danger';
  request: { error: unknown; isPending: boolean };
  /** Fields that show the refusal themselves; every other refusal is shown above the buttons. */
  fields?: readonly string[];
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
};

/**
 * A dialog that ends with one request: a form, or the question before a change that cannot be undone. While the request is on its way, a
 * click outside does not close it: an error that disappears moves the button away from under the second click of two.
 */
export function FormDialog({
  title,
  action,
  kind = 'primary',
  request,
  fields = [],
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const { error, isPending } = request;
  return (
    <Dialog title={title} isOpen onClose={onClose} isDismissedByButtonsOnly={isPending}>
      <Form isPending={isPending} onSubmit={onSubmit}>
        {children}
        {error && !fields.some((field) => fieldErrorOf(error, field)) ? (
          <p role="alert" className={styles.error}>
            {messageOf(error)}
          </p>
        ) : null}
        <Actions>
          <Button kind={kind} type="submit" isPending={isPending}>
            {action}
          </Button>
          <Button kind="quiet" onPress={onClose}>
            Cancel
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
