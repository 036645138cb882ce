import type { FormEvent, ReactNode, Ref } from 'react';
import { Form as AriaForm } from 'react-aria-components';

type FormProps = {
  /** Whether the request is on its way. */
  isPending: boolean;
  onSubmit: (event: FormEvent) => void;
  className?: string;
  ref?: Ref<HTMLFormElement>;
  children: ReactNode;
};

/** A form that sends one request at a time: on Enter, browsers submit a form of one field even while its button is disabled. */
export function Form({ isPending, onSubmit, ...props }: FormProps) {
  return (
    <AriaForm
      {...props}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) onSubmit(event);
      }}
    />
  );
}
