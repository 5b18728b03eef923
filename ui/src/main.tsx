import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
// First, because it sets the order of the layers that every other style sheet is in.
import './theme.css';
import { App } from './App';
import './components/components.css';
import './shell/shell.css';
import { applyTheme } from './preferences';
import { signInFromAddress } from './session';

applyTheme();
void signInFromAddress();
// A login address opened in a tab that shows the page already changes no more than what follows the #.
window.addEventListener('hashchange', () => void signInFromAddress());

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
