import { getRouteApi } from '@tanstack/react-router';

const route = getRouteApi('/inside/project/$projectId/exports/$exportId');

export function ExportPage() {
  const { exportId } = route.useParams();
  return <main>{exportId}</main>;
}
