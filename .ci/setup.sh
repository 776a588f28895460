# Sourced by ./start and ./check from the top of the tree, in POSIX sh: installs
# what a base Debian 12 lacks and makes build folders.
# shellcheck shell=sh

# One package a line, then the reason for it.
build_packages () {
  cat <<'END'
gcc             compiles the program
g++             nvcc's host compiler; judges the headers beside the kernels
libc6-dev       the C library's headers
meson           configures the build; brings python3 and ninja
ninja-build     runs it
pkg-config      finds the libraries below
libglib2.0-dev  main loop, objects, tests
libtiff-dev     TIFF in and out
libhdf5-dev     Data Exchange and NXtomo
libcfitsio-dev  scans of FITS images
libgsf-1-dev    scans of Zeiss microscopes
libzmq3-dev     scans over the network while they are taken
libjson-glib-dev  what the files of a Zarr scan say of it
libpng-dev      pictures to look at
libisal-dev     compressed HDF5 in, checksums
zlib1g-dev      compressed HDF5 out
libblosc-dev    compressed OME-Zarr, in and out
libfftw3-dev    the transforms of the host engine
END
}

window_packages () {
  cat <<'END'
libgtk-4-dev         the window
libepoxy-dev         OpenGL's functions
libegl1              the window's OpenGL context
libgl1               the same on an X server
libgl1-mesa-dri      OpenGL in software, where no driver is there
adwaita-icon-theme   the icons
gettext              its sentences in other languages
librsvg2-common      draws them: they are SVG
fonts-dejavu-core    a font, on a machine that has none
END
}

# for .packaging/build-deb
package_packages () {
  cat <<'END'
dpkg-dev        makes Debian packages
build-essential is asked for by it
debhelper       the steps of that
lintian         judges them
END
}

check_packages () {
  cat <<'END'
clang           the second compiler
clang-format    decides the layout of the sources
clang-tidy      looks for mistakes in them
cppcheck        the same, with other eyes
xvfb            an X server without a screen, for the tests of the window
xauth           xvfb-run asks for it
xdotool         presses keys and moves the pointer in those tests
locales         a German locale, for the test that numbers keep their point
dbus-daemon     their session bus, so that the user's is left alone
python3-numpy      for the next ones; the first three read what is exported:
python3-tifffile   TIFF
python3-h5py       HDF5
python3-zarr       OME-Zarr
python3-astropy    writes FITS scans that are read
python3-fabio      the same for EDF
python3-olefile    reads Zeiss files, for comparison
python3-gi         drives the window over the session bus
python3-zmq        receives scans that are played over the network
python3-venv       a folder for the readers that Debian lacks, see below
libgsf-bin         writes files of Zeiss microscopes
imagemagick        TIFF as common programs see it
slurm-wlm          a job scheduler, for an export that several machines share
munge              its authentication
man-db             judges the manual pages
shellcheck         judges the completion for bash
zsh                is asked what it completes
fish               the same
desktop-file-utils judges the desktop file, and makes the desktop's list of types
shared-mime-info   makes its list of names
appstream          judges what software centres show
libglib2.0-bin     calls the program over the session bus
END
}

# From the Python package index, because Debian 12 lacks them or has them too
# old for each other.
python_packages () {
  cat <<'END'
ome-zarr==0.9.0    reads exported OME-Zarr as its standard says
zarr==2.18.7       what that one needs
pynrrd==1.1.3      reads exported raw samples by their NRRD header
p4p==4.3.0         serves images as an EPICS detector does
END
}

# The same, without what they ask for: that would replace Debian's h5py by one
# whose HDF5 writes files that Debian's cannot read.
bare_python_packages () {
  cat <<'END'
foamstream==0.2.3  sends a scan as PSI's detectors do
foamclient==0.2.0  what that one needs
fastavro==1.13.1   what foamclient needs
redis==8.1.0       the same
async-timeout==5.0.1  what redis needs
py-rattler-build==0.73.0  renders the conda recipe
END
}

say () {
  printf '== %s\n' "$*"
}

have () {
  command -v "$1" >/dev/null 2>&1
}

# Where no one can type, sudo must not ask for a password.
can_be_root () {
  [ "$(id -u)" -eq 0 ] && return 0
  have sudo || return 1
  [ -t 0 ] || sudo -n true 2>/dev/null
}

as_root () {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

# apt OPTION...: apt-get, which waits while another package manager holds a
# lock, such as the updates of a machine that was just started. Its own option
# waits for the lock of dpkg; only a second try waits for that of the lists.
apt () {
  patience=0
  until said=$(as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=$patience "$@" </dev/null 2>&1 >/dev/null); do
    case $said in
      *"Could not get lock"* | *"Unable to acquire the dpkg frontend lock"*) ;;
      *)
        printf '%s\n' "$said" >&2
        return 1
        ;;
    esac
    if [ "$patience" -eq 0 ]; then
      say "another package manager is at work: waiting, ten minutes at most"
      patience=600
      last_try=$(($(date +%s) + patience))
    elif [ "$(date +%s)" -ge "$last_try" ]; then
      printf '%s\n' "$said" >&2
      return 1
    fi
    sleep 5
  done
}

apt_install () {
  apt install --yes --quiet=2 --no-install-recommends "$@"
}

# list_missing PACKAGE...: those that are not installed, one a line.
list_missing () {
  installed=$(dpkg-query --show \
    --showformat='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || :)
  for package; do
    printf '%s\n' "$installed" | grep -qxF "$package installed" ||
      printf '%s\n' "$package"
  done
}

# install_missing TABLE...: what those tables ask for and is not there. Never
# fatal: the libraries may be there in another way, and Meson says what it
# cannot find. Sets newly_installed where the machine changed.
install_missing () {
  newly_installed=
  if ! have apt-get || ! have dpkg-query; then
    say "no apt-get here: going on with what is installed"
    return 0
  fi
  # Names of packages have no blanks: the lists are split on purpose.
  # shellcheck disable=SC2046
  missing=$(list_missing $(for table; do "$table"; done | cut -d ' ' -f 1) |
    tr '\n' ' ')
  [ -n "$missing" ] || return 0
  if ! can_be_root; then
    say "no right to install what is missing, going on without: $missing"
    return 0
  fi

  say "installing what is missing: $missing"
  apt update --quiet=2 ||
    say "the package lists could not be refreshed"
  # shellcheck disable=SC2086
  if ! apt_install $missing; then
    say "not all at once, so one by one"
    for package in $missing; do
      apt_install "$package" || say "could not install $package: going on"
    done
  fi
  newly_installed=yes
}

# install_python_packages FOLDER: makes a virtual environment there, of the
# Python that the tests use, and sets TL_PYTHON_PACKAGES, where the tests look
# for modules first. Never fatal: without it, their cases are skipped.
#
# Names of packages and options have no blanks: they are split on purpose.
# shellcheck disable=SC2086
install_python_packages () {
  python=/usr/bin/python3
  [ -x $python ] || python=python3
  # NumPy stays the system's, for which its other modules were compiled.
  bare_python=$(bare_python_packages | cut -d ' ' -f 1)
  wanted_python=$(python_packages | cut -d ' ' -f 1
    $python -c 'import numpy; print("numpy==" + numpy.__version__)' 2>&1)
  if ! printf '%s\n' "$wanted_python" "$bare_python" |
    cmp -s - "$1/installed"; then
    say "installing Python packages for the tests:" \
      "$(printf '%s ' $wanted_python $bare_python)"
    options="--quiet --only-binary :all: --retries 1 --timeout 15"
    if ! said=$($python -m venv --clear --system-site-packages "$1" 2>&1 &&
      "$1/bin/python" -m pip install $options $wanted_python 2>&1 &&
      "$1/bin/python" -m pip install $options --no-deps $bare_python 2>&1); then
      printf '%s\n' "$said" | tail -n 1
      say "going on without them: their cases are skipped"
      return 0
    fi
    printf '%s\n' "$wanted_python" "$bare_python" >"$1/installed"
  fi
  TL_PYTHON_PACKAGES=$("$1/bin/python" -c \
    'import sysconfig; print(sysconfig.get_path("purelib"))')
  export TL_PYTHON_PACKAGES
}

# The CUDA Toolkit's installer leaves nvcc off the PATH.
find_nvcc () {
  have nvcc && return 0
  for toolkit in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /opt/cuda; do
    if [ -n "$toolkit" ] && [ -x "$toolkit/bin/nvcc" ]; then
      PATH=$PATH:$toolkit/bin
      export PATH
      return 0
    fi
  done
  say "no nvcc: the CUDA module is not built, the host engine does the work"
}

# configure FOLDER OPTION...: makes a build folder, or brings one up to date
# after packages came or for other options; nothing to do otherwise, ninja looks
# after the rest.
configure () {
  folder=$1
  shift
  if [ ! -f "$folder/build.ninja" ]; then
    meson setup "$folder" "$@" || return 1
  elif [ -n "${newly_installed:-}" ] ||
    [ "$(cat "$folder/options" 2>/dev/null)" != "$*" ]; then
    meson setup --reconfigure "$folder" "$@" || return 1
  fi
  printf '%s\n' "$*" >"$folder/options"
}
