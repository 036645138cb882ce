/** A dialog over the page. Escape and a click outside close it, unless `isRequired`. */
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import styles from './dialog.module.css';

export type DialogProps = {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  /** Whether only its own buttons close it. */
  isRequired?: boolean;
  width?: 'narrow' | 'wide';
};

export function Dialog({ title, isOpen, onClose, children, isRequired = false, width = 'narrow' }: DialogProps) {
  return (
    <ModalOverlay
      className={styles.overlay!}
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={!isRequired}
      isKeyboardDismissDisabled={isRequired}
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
