import { useBlocker } from '@tanstack/react-router';
import { Button } from '../look/button.tsx';
import { Actions, Dialog } from '../look/dialog.tsx';

/**
 * Asks before the user leaves an unsaved edit for another page. When the tab is closed, the browser asks in its own words.
 * @param what begins the sentence “… is not saved.”
 */
export function LeaveQuestion({ isDirty, what }: { isDirty: boolean; what: string }) {
  const { proceed, reset, status } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Dialog title="Leave without saving?" isOpen onClose={reset}>
      <p>{what} is not saved.</p>
      <Actions>
        <Button kind="primary" onPress={reset}>
          Stay
        </Button>
        <Button kind="danger" onPress={proceed}>
          Leave without saving
        </Button>
      </Actions>
    </Dialog>
  );
}
