/** The form's pages for editors; viewers read which level the pages need. */
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty, Skeleton } from '../look/notes.tsx';
import { useMayCreate, useMayEdit } from './access.ts';
import { EditExportPage } from './form/edit-page.tsx';
import { NewExportPage } from './form/new-page.tsx';

const newRoute = getRouteApi('/inside/project/$projectId/exports/new');
const editRoute = getRouteApi('/inside/project/$projectId/exports/$exportId/edit');

export function NewExport() {
  const params = newRoute.useParams();
  return (
    <EditorsOnly
      isAllowed={useMayCreate(params.projectId)}
      title="New export"
      explanation="You are a viewer of this project’s exports. To create one you need the editor level: ask a project admin for it."
      backLink={
        <Link to="/project/$projectId/exports" params={params}>
          To the exports
        </Link>
      }
    >
      <NewExportPage />
    </EditorsOnly>
  );
}

export function EditExport() {
  const params = editRoute.useParams();
  return (
    <EditorsOnly
      isAllowed={useMayEdit(params.projectId, params.exportId)}
      title="Edit export"
      explanation="You are a viewer of this export. To change it you need the editor level: ask a manager of the export for it, or ask an editor to make the change."
      backLink={
        <Link to="/project/$projectId/exports/$exportId" params={params}>
          To the export
        </Link>
      }
    >
      <EditExportPage />
    </EditorsOnly>
  );
}

type EditorsOnlyProps = {
  isAllowed: boolean | undefined;
  title: string;
  explanation: string;
  backLink: ReactNode;
  children: ReactNode;
};

function EditorsOnly({ isAllowed, title, explanation, backLink, children }: EditorsOnlyProps) {
  if (isAllowed === undefined) return <Skeleton rows={8} />;
  if (isAllowed) return children;
  return (
    <main>
      <h1>{title}</h1>
      <Empty action={backLink}>{explanation}</Empty>
    </main>
  );
}
