import { Outlet } from '@tanstack/react-router';
import { useHeading } from './use-heading.ts';

/** Every page, with a session or without. */
export function Root() {
  useHeading();
  return <Outlet />;
}
