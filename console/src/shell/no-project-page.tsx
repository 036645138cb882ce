import { Empty } from '../look/notes.tsx';

export function NoProjectPage() {
  return (
    <main style={{ padding: 16 }}>
      <h1>No project yet</h1>
      <Empty>You have no project yet. Ask an admin of your organization to give you access to one.</Empty>
    </main>
  );
}
